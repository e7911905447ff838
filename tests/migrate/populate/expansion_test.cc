#include "migrate/populate/expansion.h"

#include <algorithm>
#include <utility>

#include "migrate/populate/cluster_kinds.h"
#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace expansion_test {

using populate_test::ReadTemplate;
using populate_test::TemplateOf;
using Names = std::vector<std::string>;
using Templates = std::vector<NamespaceTemplate>;

/// An Expansion with the memory that its values live in.
struct Expanded {
  Expanded(const TargetNamespace& target, Templates given)
      : templates(std::move(given)),
        expansion(Expand(target, templates, IsKnownClusterScoped, arena)) {}

  Names Objects() const {
    Names names;
    for (const WantedObject& object : expansion.objects) {
      names.push_back(object.template_name + ": " + object.key.ToString());
    }
    return names;
  }
  std::string Object(std::size_t number) const {
    return kube::json::Print(expansion.objects.at(number).value);
  }
  Names Held() const {
    Names texts;
    for (const HeldObject& object : expansion.held) {
      texts.push_back(object.template_name + ": " + object.key.ToString() + " by " + object.by);
    }
    return texts;
  }
  Names Refused() const {
    Names texts;
    for (const auto& [key, template_name, why] : expansion.refused) {
      texts.push_back(template_name + ": " + key.ToString() + ": " + why);
    }
    return texts;
  }

  Templates templates;
  kube::json::Arena arena;
  Expansion expansion;
};

TargetNamespace With(const std::string& name, const kube::meta::Labels& labels,
                     const std::optional<std::string>& creator = std::nullopt) {
  TargetNamespace target = NamespaceNamed(name);
  target.labels.insert(labels.begin(), labels.end());
  target.creator = creator;
  return target;
}

std::string Secret(const std::string& name, const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + name + "\"" + more + "}}";
}

NamespaceTemplate Selecting(const std::string& name, const std::string& selector) {
  return ReadTemplate(
      R"({"name":")" + name + "\"}",
      R"({"namespaces":{"labelSelector":)" + selector + R"(},"templates":[)" + Secret(name) + "]}");
}

// The part-of label is that of apply_set_test.cc.
TEST_CASE("An object gets its namespace, its labels and its values", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("team-2", R"j({"apiVersion":"rbac.authorization.k8s.io/v1",
      "kind":"RoleBinding","metadata":{"name":"owner-$(NAMESPACE)","labels":{"a":"b",
      "policy/namespace-template-name":"other"}},"subjects":[{"kind":"User","name":"$(CREATOR)"}],
      "note":"$$(NAMESPACE)"})j"));
  const Expanded expanded(With("team-a", {}, "jo@example.com"), std::move(templates));
  CHECK(expanded.Objects() ==
        Names{"team-2: RoleBinding.rbac.authorization.k8s.io \"owner-team-a\""});
  CHECK(expanded.Object(0) ==
        R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":)"
        R"({"labels":{"a":"b","applyset.kubernetes.io/part-of":)"
        R"("applyset-sMEZRenJqDif9AoO_ujc6K1Z3T0c3EGl-OyFHonE3CA-v1",)"
        R"("policy/namespace-template-name":"team-2"},"name":"owner-team-a",)"
        R"j("namespace":"team-a"},"note":"$(NAMESPACE)",)j"
        R"("subjects":[{"kind":"User","name":"jo@example.com"}]})");
  CHECK(expanded.expansion.refused.empty());
  CHECK(expanded.expansion.templates == Names{"team-2"});
  // The template is as it was.
  CHECK(expanded.templates[0].objects[0].FindText("note") == "$$(NAMESPACE)");
}

TEST_CASE("Templates come by their names, objects in the order of the list",
          "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("b", Secret("4") + "," + Secret("3")));
  templates.push_back(TemplateOf("a", Secret("2") + "," + Secret("1")));
  const Expanded expanded(NamespaceNamed("x"), std::move(templates));
  CHECK(expanded.Objects() ==
        Names{"a: Secret \"2\"", "a: Secret \"1\"", "b: Secret \"4\"", "b: Secret \"3\""});
}

TEST_CASE("A template is for the namespaces that it selects", "[migrate][populate]") {
  const auto templates = [] {
    Templates all;
    all.push_back(Selecting("every", "{}"));
    all.push_back(Selecting("named", R"({"matchLabels":{"kubernetes.io/metadata.name":"x"}})"));
    all.push_back(Selecting(
        "not-test",
        R"({"matchExpressions":[{"key":"stage","operator":"NotIn","values":["test"]}]})"));
    all.push_back(Selecting("team", R"({"matchLabels":{"tenant":"team"}})"));
    return all;
  };
  CHECK(Expanded(NamespaceNamed("x"), templates()).expansion.templates ==
        Names{"every", "named", "not-test"});
  CHECK(Expanded(With("y", {{"tenant", "team"}, {"stage", "test"}}), templates())
            .expansion.templates == Names{"every", "team"});
}

TEST_CASE("Of the same object in two templates the later one counts", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x") + "," + Secret("y")));
  templates.push_back(
      TemplateOf("b", Secret("z") + "," + Secret("x", R"(,"annotations":{"b":""})")));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects() == Names{"a: Secret \"y\"", "b: Secret \"z\"", "b: Secret \"x\""});
  CHECK(expanded.Object(2).find(R"("annotations":{"b":""})") != std::string::npos);
  REQUIRE(expanded.expansion.replaced.size() == 1);
  CHECK(expanded.expansion.replaced[0].key.ToString() == "Secret \"x\"");
  CHECK(expanded.expansion.replaced[0].template_name == "a");
  CHECK(expanded.expansion.replaced[0].by == "b");
}

TEST_CASE("An object that comes three times is told twice", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x") + "," + Secret("$(NAMESPACE)")));
  templates.push_back(TemplateOf("b", Secret("x")));
  const Expanded expanded(NamespaceNamed("x"), std::move(templates));
  CHECK(expanded.Objects() == Names{"b: Secret \"x\""});
  REQUIRE(expanded.expansion.replaced.size() == 2);
  CHECK(Describe(expanded.expansion.replaced[0]) ==
        "Secret \"x\" comes twice in the template a; the last one counts");
  CHECK(Describe(expanded.expansion.replaced[1]) ==
        "Secret \"x\" of the template a is replaced by that of b");
}

TEST_CASE("The version does not make another object, the group does", "[migrate][populate]") {
  const auto budget = [](const std::string& api_version) {
    return R"({"apiVersion":")" + api_version +
           R"(","kind":"PodDisruptionBudget","metadata":{"name":"x"}})";
  };
  Templates templates;
  templates.push_back(TemplateOf(
      "a", budget("policy/v1beta1") + "," + budget("policy/v1") + "," + budget("example.com/v1")));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects() ==
        Names{"a: PodDisruptionBudget.policy \"x\"", "a: PodDisruptionBudget.example.com \"x\""});
  CHECK(expanded.expansion.objects[0].value.FindText("apiVersion") == "policy/v1");
}

TEST_CASE("What a namespace cannot have is refused by name", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf(
      "a", Secret("own", R"(,"namespace":"n")") + "," + Secret("foreign", R"(,"namespace":"m")") +
               "," + Secret("by-$(CREATOR)-in-$(NAMESPACE)") + "," +
               Secret("set", R"(,"labels":{"applyset.kubernetes.io/part-of":"x"})") +
               R"(,{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"sub"}},
                   {"apiVersion":"rbac.authorization.k8s.io/v1beta1","kind":"ClusterRole",
                    "metadata":{"name":"r"}})"));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects() == Names{"a: Secret \"own\""});
  CHECK(expanded.Refused() ==
        Names{"a: Secret \"foreign\": it names another namespace, \"m\"",
              "a: Secret \"by-$(CREATOR)-in-n\": $(CREATOR) is not known: the namespace has no "
              "annotation authorization.k8s.io/creator",
              "a: Secret \"set\": it has the label applyset.kubernetes.io/part-of already",
              "a: Namespace \"sub\": objects of its kind are in no namespace",
              "a: ClusterRole.rbac.authorization.k8s.io \"r\": objects of its kind are in no "
              "namespace"});
}

TEST_CASE("A value that makes no name is refused", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("$(CREATOR)")));
  const Expanded expanded(With("n", {}, "a/b%"), std::move(templates));
  CHECK(expanded.Refused() ==
        Names{"a: Secret \"a/b%\": its name may not contain '/', may not contain '%'"});
}

TEST_CASE("What would be elsewhere takes no other one's place", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x")));
  templates.push_back(TemplateOf("b", Secret("x", R"(,"namespace":"m")")));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects() == Names{"a: Secret \"x\""});
  CHECK(expanded.Refused().size() == 1);
  CHECK(expanded.expansion.replaced.empty());
}

// The earlier one may allow what the later one forbids.
TEST_CASE("Where a later object could not be made no earlier one comes", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x") + "," + Secret("y")));
  templates.push_back(TemplateOf("b", Secret("x", R"j(,"annotations":{"by":"$(CREATOR)"})j")));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects() == Names{"a: Secret \"y\""});
  CHECK(expanded.Refused().size() == 1);
  REQUIRE(expanded.Held() == Names{"a: Secret \"x\" by b"});
  CHECK(Describe(expanded.expansion.held[0]) ==
        "Secret \"x\" of the template a is left out: the later template b has it too, which was "
        "refused");
}

TEST_CASE("A still later object comes all the same", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x")));
  templates.push_back(TemplateOf("b", Secret("x", R"j(,"annotations":{"by":"$(CREATOR)"})j")));
  templates.push_back(TemplateOf("c", Secret("x")));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects() == Names{"c: Secret \"x\""});
}

TEST_CASE("Lists and what only a server sets are refused", "[migrate][populate]") {
  const auto [object, why] = GENERATE(table<std::string, std::string>({
      {R"({"apiVersion":"v1","kind":"List","metadata":{"name":"x"},"items":[{"kind":"Node"}]})",
       "a: List \"x\": it is a list: its objects have to stand in the template themselves"},
      {R"({"apiVersion":"example.com/v1","kind":"Basket","metadata":{"name":"x"},"items":[]})",
       "a: Basket.example.com \"x\": it is a list: its objects have to stand in the template "
       "themselves"},
      {Secret("x", R"(,"uid":"u")"),
       "a: Secret \"x\": it has metadata.uid, which is the server's to "
       "set"},
      {Secret("x", R"(,"resourceVersion":"5")"),
       "a: Secret \"x\": it has metadata.resourceVersion, which is the server's to set"},
  }));
  Templates templates;
  templates.push_back(TemplateOf("a", object));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.Objects().empty());
  CHECK(expanded.Refused() == Names{why});
}

TEST_CASE("A cluster may tell of more kinds that are in no namespace", "[migrate][populate]") {
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x")));
  kube::json::Arena arena;
  const Expansion expansion = Expand(
      NamespaceNamed("n"), templates, [](const GroupKind& type) { return type.kind == "Secret"; },
      arena);
  CHECK(expansion.objects.empty());
  CHECK(expansion.refused.size() == 1);
}

TEST_CASE("kube-system and what opts out is left alone", "[migrate][populate]") {
  const auto [target, standing] = GENERATE(table<TargetNamespace, Expansion::Standing>({
      {NamespaceNamed("kube-system"), Expansion::Standing::kSystem},
      {With("kube-system", {{"policy/namespace-template-opt-out", "true"}}),
       Expansion::Standing::kSystem},
      {With("a", {{"policy/namespace-template-opt-out", "true"}}), Expansion::Standing::kOptedOut},
      {With("a", {{"policy/namespace-template-opt-out", "false"}}),
       Expansion::Standing::kPopulated},
      {NamespaceNamed("kube-public"), Expansion::Standing::kPopulated},
  }));
  Templates templates;
  templates.push_back(TemplateOf("a", Secret("x")));
  const Expanded expanded(target, std::move(templates));
  CHECK(expanded.expansion.standing == standing);
  CHECK(expanded.Objects().empty() == (standing != Expansion::Standing::kPopulated));
}

TEST_CASE("A disabled template is left alone, whatever it selects", "[migrate][populate]") {
  const auto disabled = [](const std::string& name, const std::string& selector) {
    return ReadTemplate(
        R"({"labels":{"policy/namespace-template-apply":"disable"},"name":")" + name + "\"}",
        R"({"namespaces":{"labelSelector":)" + selector + R"(},"templates":[)" + Secret("x") +
            "]}");
  };
  Templates templates;
  templates.push_back(disabled("d", R"({"matchLabels":{"tenant":"team"}})"));
  templates.push_back(disabled("c", "{}"));
  templates.push_back(TemplateOf("b", Secret("x") + "," + Secret("y")));
  const Expanded expanded(NamespaceNamed("n"), std::move(templates));
  CHECK(expanded.expansion.left_alone == Names{"c", "d"});
  CHECK(expanded.expansion.templates == Names{"b"});
  // What c has made of it stays as it is; d does not select the namespace.
  REQUIRE(expanded.Held() == Names{"b: Secret \"x\" by c"});
  CHECK(Describe(expanded.expansion.held[0]) ==
        "Secret \"x\" of the template b is left out: the later template c has it too, and is "
        "disabled, so that it stays as it is");
  CHECK(expanded.Objects() == Names{"b: Secret \"y\""});
  CHECK(expanded.expansion.replaced.empty());
}

TEST_CASE("Known kinds are known by their group", "[migrate][populate]") {
  CHECK(IsKnownClusterScoped({"", "Namespace"}));
  CHECK(IsKnownClusterScoped({"rbac.authorization.k8s.io", "ClusterRoleBinding"}));
  CHECK(IsKnownClusterScoped({"policy.kubectl-prune.dev", "NamespaceTemplate"}));
  CHECK(IsKnownClusterScoped({"policy", "NamespaceTemplate"}));
  CHECK_FALSE(IsKnownClusterScoped({"rbac.authorization.k8s.io", "Role"}));
  CHECK_FALSE(IsKnownClusterScoped({"example.com", "Namespace"}));
  CHECK_FALSE(IsKnownClusterScoped({"", "ClusterRole"}));
}

}  // namespace expansion_test
}  // namespace migrate::populate
