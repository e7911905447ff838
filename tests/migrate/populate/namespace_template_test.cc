#include "migrate/populate/namespace_template.h"

#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace namespace_template_test {

using populate_test::ParseJson;
using populate_test::ReadTemplate;
using populate_test::TemplateText;
using Operator = kube::meta::LabelRequirement::Operator;
using Errors = std::vector<std::string>;

constexpr char kRole[] = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",
    "metadata":{"name":"viewer"},"rules":[{"verbs":["get"],"x":null}]})";

constexpr char kForAll[] = R"({"namespaces":{"labelSelector":{}},"templates":[]})";

Errors ErrorsOf(const std::string& metadata, const std::string& spec) {
  const auto read = ReadNamespaceTemplate(ParseJson(TemplateText(metadata, spec)).root());
  return read ? Errors() : read.error();
}

Errors ErrorsOfObject(const std::string& object) {
  return ErrorsOf(R"({"name":"a"})",
                  R"({"namespaces":{"labelSelector":{}},"templates":[)" + object + "]}");
}

TEST_CASE("A template has a name, a selector and objects", "[migrate][populate]") {
  const NamespaceTemplate read = ReadTemplate(
      R"({"name":"team-defaults"})",
      std::string(R"({"namespaces":{"labelSelector":{"matchLabels":{"tenant":"team"},
          "matchExpressions":[{"key":"stage","operator":"NotIn","values":["test"]}]}},
          "templates":[)") +
          kRole + R"(,{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"limits"}}]})");
  CHECK(read.name == "team-defaults");
  CHECK(read.selector == kube::meta::LabelSelector{{"tenant", Operator::kIn, {"team"}},
                                                   {"stage", Operator::kNotIn, {"test"}}});
  CHECK_FALSE(read.is_disabled);
  CHECK_FALSE(read.requires_permission);
  CHECK(read.unknown_fields.empty());
  REQUIRE(read.objects.size() == 2);
  CHECK(kube::json::Equal(read.objects[0], ParseJson(kRole).root()));
  CHECK(read.objects[1].FindText("kind") == "LimitRange");
}

TEST_CASE("A template with an empty selector is for all, one without is refused",
          "[migrate][populate]") {
  for (const char* selector : {"{}", R"({"matchLabels":{}})", R"({"matchExpressions":[]})"}) {
    CAPTURE(selector);
    CHECK(ReadTemplate(R"({"name":"a"})", std::string(R"({"namespaces":{"labelSelector":)") +
                                              selector + R"(},"templates":[]})")
              .selector.empty());
  }
  CHECK(ErrorsOf(R"({"name":"a"})", R"({"templates":[],"namespaces":{}})") ==
        Errors{"spec.namespaces.labelSelector: Required value"});
}

TEST_CASE("A template outlives the text that it was read from", "[migrate][populate]") {
  auto document = std::make_unique<kube::json::Document>(ParseJson(TemplateText(
      R"({"name":"a"})",
      std::string(R"({"namespaces":{"labelSelector":{}},"templates":[)") + kRole + "]}")));
  const auto read = ReadNamespaceTemplate(document->root());
  document.reset();
  REQUIRE(read);
  const NamespaceTemplate copy = *read;
  CHECK(copy.objects[0].Find("metadata")->FindText("name") == "viewer");
}

TEST_CASE("Labels and annotations of a template count with one value", "[migrate][populate]") {
  const auto [metadata, is_disabled, requires_permission] =
      GENERATE(table<std::string, bool, bool>({
          {R"("labels":{"policy/namespace-template-apply":"disable"})", true, false},
          {R"("labels":{"policy/namespace-template-apply":"disabled"})", false, false},
          {R"("annotations":{"policy/namespace-template-apply":"disable"})", true, false},
          {R"("annotations":{"policy/namespace-template-require-permission":"true"})", false, true},
          {R"("labels":{"policy/namespace-template-require-permission":"true"})", false, true},
          {R"("annotations":{"policy/namespace-template-require-permission":"no"})", false, false},
      }));
  CAPTURE(metadata);
  const NamespaceTemplate read = ReadTemplate(R"({"name":"a",)" + metadata + "}", kForAll);
  CHECK(read.is_disabled == is_disabled);
  CHECK(read.requires_permission == requires_permission);
}

TEST_CASE("Which objects are NamespaceTemplates", "[migrate][populate]") {
  const auto [type, is_one] = GENERATE(table<std::string, bool>({
      {R"("apiVersion":"policy.kubectl-prune.dev/v1alpha1","kind":"NamespaceTemplate")", true},
      {R"("apiVersion":"policy/v1alpha1","kind":"NamespaceTemplate")", true},
      {R"("apiVersion":"policy/v1","kind":"NamespaceTemplate")", false},
      {R"("apiVersion":"policy/v1","kind":"PodDisruptionBudget")", false},
      {R"("apiVersion":"example.com/v1alpha1","kind":"NamespaceTemplate")", false},
      {R"("apiVersion":"v1alpha1","kind":"NamespaceTemplate")", false},
      {R"("kind":"NamespaceTemplate")", false},
  }));
  CAPTURE(type);
  CHECK(IsNamespaceTemplate(ParseJson("{" + type + "}").root()) == is_one);
}

TEST_CASE("A template of the first group is read as ours", "[migrate][populate]") {
  const auto document = ParseJson(
      R"({"apiVersion":"policy/v1alpha1","kind":"NamespaceTemplate","metadata":{"name":"a"},
          "spec":{"namespaces":{"labelSelector":{}},"templates":[]}})");
  const auto read = ReadNamespaceTemplate(document.root());
  REQUIRE(read);
  CHECK(read->document->root().FindText("apiVersion") == "policy.kubectl-prune.dev/v1alpha1");
  CHECK(document.root().FindText("apiVersion") == "policy/v1alpha1");
}

// kube-openapi's validate, by the schema of the CRD.
TEST_CASE("What the schema refuses is said as the API server says it", "[migrate][populate]") {
  CHECK(ErrorsOf(R"({"name":"a"})", "{}") ==
        Errors{"spec.namespaces: Required value", "spec.templates: Required value"});
  CHECK(ErrorsOf(R"({"name":"a"})", R"({"namespaces":{"labelSelector":{}},"templates":{}})") ==
        Errors{"spec.templates: Invalid value: \"object\": spec.templates in body must be of type "
               "array: \"object\""});
  CHECK(ErrorsOf(R"({"name":"a"})",
                 R"({"templates":[],"namespaces":{"labelSelector":{"matchLabels":{"a":1}}}})") ==
        Errors{"spec.namespaces.labelSelector.matchLabels.a: Invalid value: \"integer\": "
               "spec.namespaces.labelSelector.matchLabels.a in body must be of type string: "
               "\"integer\""});
  CHECK(ErrorsOf(R"({"name":"a"})",
                 R"({"templates":[],"namespaces":{"labelSelector":{"matchExpressions":[
                     {"key":"a","operator":"Equals"}]}}})") ==
        Errors{"spec.namespaces.labelSelector.matchExpressions[0].operator: Unsupported value: "
               "\"Equals\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\""});
}

TEST_CASE("A selector that no server takes is refused", "[migrate][populate]") {
  CHECK(ErrorsOf(R"({"name":"a"})",
                 R"({"templates":[],"namespaces":{"labelSelector":{"matchExpressions":[
                     {"key":"a","operator":"In"}]}}})") ==
        Errors{"spec.namespaces.labelSelector.matchExpressions[0].values: Required value: must be "
               "specified when `operator` is 'In' or 'NotIn'"});
}

// objectmeta.Validate of apiextensions, but for the name.
TEST_CASE("Each object has an apiVersion, a kind and a name", "[migrate][populate]") {
  CHECK(ErrorsOfObject(R"({"metadata":{"name":"b"}})") ==
        Errors{"spec.templates[0].apiVersion: Required value",
               "spec.templates[0].kind: Required value"});
  CHECK(ErrorsOfObject(R"({"apiVersion":"v1","kind":"Secret"})") ==
        Errors{"spec.templates[0].metadata.name: Required value: name is required"});
  CHECK(ErrorsOfObject(R"({"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"b-"}})") ==
        Errors{"spec.templates[0].metadata.name: Required value: name is required"});
  CHECK(ErrorsOfObject(R"({"apiVersion":"a/b/c","kind":"Secret","metadata":{"name":"b"}})") ==
        Errors{"spec.templates[0].apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion "
               "string: a/b/c"});
}

TEST_CASE("The name of a template is a value of a label", "[migrate][populate]") {
  CHECK(ErrorsOf("{}", kForAll) == Errors{"metadata.name: Required value: name is required"});
  CHECK(ErrorsOf(R"({"name":")" + std::string(63, 'a') + "\"}", kForAll).empty());
  CHECK(ErrorsOf(R"({"name":")" + std::string(64, 'a') + "\"}", kForAll) ==
        Errors{"metadata.name: Too long: may not be more than 63 bytes"});
  CHECK(ErrorsOf(R"({"name":"A"})", kForAll).size() == 1);
  CHECK(ErrorsOf(R"({"name":"a.b"})", kForAll).empty());
  // The server clears it (seen on 1.20.2).
  CHECK(ErrorsOf(R"({"name":"a","namespace":"b"})", kForAll).empty());
}

TEST_CASE("Metadata that cannot be decoded is told as Go tells it", "[migrate][populate]") {
  const Errors errors = ErrorsOf(R"({"name":"a","labels":{"b":1}})", kForAll);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].starts_with("json: cannot unmarshal number into Go struct field ObjectMeta"));
}

TEST_CASE("The status of a template that is created is nobody's concern", "[migrate][populate]") {
  std::string text = TemplateText(R"({"name":"a"})", kForAll);
  text.insert(text.rfind('}'), R"(,"status":{"namespaces":"x","more":1})");
  const auto read = ReadNamespaceTemplate(ParseJson(text).root());
  REQUIRE(read);
  CHECK(read->unknown_fields.empty());
}

TEST_CASE("What the schema does not know is named, and gone", "[migrate][populate]") {
  const NamespaceTemplate read = ReadTemplate(
      R"({"name":"a"})",
      R"({"owner":"x","namespaces":{"namespaceSelector":"all","labelSelector":{}},"templates":[
          {"apiVersion":"v1","kind":"Secret","metadata":{"name":"b","scope":"x"},"any":1}]})");
  CHECK(read.unknown_fields == std::vector<std::string>{"spec.namespaces.namespaceSelector",
                                                        "spec.owner",
                                                        "spec.templates[0].metadata.scope"});
  CHECK(kube::json::Print(read.objects[0]) ==
        R"({"any":1,"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"}})");
}

TEST_CASE("A selector whose field is misspelt is refused, at whatever depth",
          "[migrate][populate]") {
  const std::string path = "spec.namespaces.labelSelector";
  const auto [namespaces, error] = GENERATE_COPY(table<std::string, std::string>({
      {R"({"labelselector":{"matchLabels":{"a":"b"}}})", path + ": Required value"},
      {R"({"labelSelector":{"matchLabel":{"a":"b"}}})",
       path + ".matchLabel: Forbidden: no selector has such a field"},
      {R"({"labelSelector":{"matchLabels":{"a":"b"},"matchexpressions":[]}})",
       path + ".matchexpressions: Forbidden: no selector has such a field"},
      {R"({"labelSelector":{"matchExpressions":[{"key":"a","operator":"Exists","value":["b"]}]}})",
       path + ".matchExpressions[0].value: Forbidden: no selector has such a field"},
      {R"({"labelSelector":{"matchLabels":{"a":null}}})",
       path + ".matchLabels[a]: Required value: it is null"},
      {R"({"labelSelector":{"matchLabels":null}})",
       path + ".matchLabels: Required value: it is null"},
      {R"({"labelSelector":{"matchExpressions":null}})",
       path + ".matchExpressions: Required value: it is null"},
      {R"({"labelSelector":null})", path + ": Required value"},
      {"null", "spec.namespaces: Required value"},
  }));
  CAPTURE(namespaces);
  CHECK(ErrorsOf(R"({"name":"a"})", R"({"templates":[],"namespaces":)" + namespaces + "}") ==
        Errors{error});
}

TEST_CASE("Which templates go by who has made a namespace", "[migrate][populate]") {
  const auto [text, uses_creator] = GENERATE(table<std::string, bool>({
      {"$(CREATOR)", true},
      {"a-$(CREATOR)-b", true},
      {"$$$(CREATOR)", false},
      {"$$(CREATOR) $(CREATOR)", true},
      {"$$(CREATOR)", false},
      {"$(NAMESPACE)", false},
  }));
  CAPTURE(text);
  const NamespaceTemplate read =
      ReadTemplate(R"({"name":"a"})", R"({"namespaces":{"labelSelector":{}},"templates":[
          {"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"}},
          {"apiVersion":"v1","kind":"Secret","metadata":{"name":"c"},"data":[{"d":")" +
                                          text + R"("}]}]})");
  CHECK(read.uses_creator == uses_creator);
}

}  // namespace namespace_template_test
}  // namespace migrate::populate
