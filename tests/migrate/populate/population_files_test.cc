#include "migrate/populate/population_files.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::populate {
namespace population_files_test {

using Texts = std::vector<std::string>;

std::string TemplateNamed(const std::string& name,
                          const std::string& more = ", namespaces: {labelSelector: {}}") {
  return "---\napiVersion: policy.kubectl-prune.dev/v1alpha1\nkind: NamespaceTemplate\n"
         "metadata: {name: " +
         name + "}\nspec: {templates: []" + more + "}\n";
}

std::string NamespaceNamedIn(const std::string& name, const std::string& labels = "{}") {
  return "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: " + labels +
         "}\n";
}

PopulationFiles Read(const std::string& text) {
  const test_support::TempFolder folder;
  PopulationFiles files = ReadPopulationFiles({folder.Write("all.yaml", text)}, false);
  // The folder has another name each time.
  for (Texts* texts : {&files.errors, &files.hints}) {
    for (std::string& each : *texts) each.erase(0, each.find("all.yaml"));
  }
  return files;
}

template <typename T>
Texts NamesOf(const std::vector<T>& all) {
  Texts names;
  for (const T& each : all) names.push_back(each.name);
  return names;
}

TEST_CASE("Templates and namespaces of files come by name", "[migrate][populate]") {
  const PopulationFiles files =
      Read(TemplateNamed("b") + NamespaceNamedIn("z") + TemplateNamed("a") + NamespaceNamedIn("x"));
  CHECK(NamesOf(files.templates) == Texts{"a", "b"});
  CHECK(NamesOf(files.namespaces) == Texts{"x", "z"});
  CHECK((files.errors.empty() && files.warnings.empty() && files.others.empty()));
}

TEST_CASE("Of what comes twice the last one counts", "[migrate][populate]") {
  const PopulationFiles files = Read(TemplateNamed("a") +
                                     TemplateNamed("a",
                                                   ", namespaces: {labelSelector: {matchLabels: "
                                                   "{b: c}}}") +
                                     NamespaceNamedIn("x") + NamespaceNamedIn("x", "{d: e}"));
  REQUIRE(files.templates.size() == 1);
  CHECK(files.templates[0].selector.size() == 1);
  REQUIRE(files.namespaces.size() == 1);
  CHECK(files.namespaces[0].labels.at("d") == "e");
  CHECK(files.warnings ==
        Texts{"NamespaceTemplate \"a\" was given more than once; the last one counts",
              "Namespace \"x\" was given more than once; the last one counts"});
}

TEST_CASE("What a file has beside them is counted", "[migrate][populate]") {
  const PopulationFiles files = Read(
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret}\n"
      "- {apiVersion: v1, kind: Secret}\n- {apiVersion: policy/v1, kind: NamespaceTemplate}\n");
  REQUIRE(files.others.size() == 2);
  CHECK((files.others[0].kind == "NamespaceTemplate" && files.others[0].objects == 1));
  CHECK((files.others[1].kind == "Secret" && files.others[1].objects == 2));
}

TEST_CASE("What cannot be read is told by its place, and the rest is read", "[migrate][populate]") {
  const PopulationFiles files = Read(TemplateNamed("a") + TemplateNamed("b", ", namespaces: 5") +
                                     NamespaceNamedIn("X") + "---\n- 1\n---\n{a: b}\n");
  CHECK(NamesOf(files.templates) == Texts{"a"});
  REQUIRE(files.errors.size() == 4);
  CHECK(files.errors[0] ==
        "all.yaml:7:1: NamespaceTemplate \"b\": spec.namespaces: Invalid value: \"integer\": "
        "spec.namespaces in body must be of type object: \"integer\"");
  CHECK(files.errors[1].starts_with(
      "all.yaml:12:1: Namespace \"X\": metadata.name: Invalid value: \"X\": a lowercase RFC 1123"));
  CHECK(files.errors[2] == "all.yaml:16:1: not an object but array");
  CHECK(files.errors[3] == "all.yaml:18:1: Object 'Kind' is missing");
}

TEST_CASE("Fields that the CRD does not know are warned of", "[migrate][populate]") {
  CHECK(Read(TemplateNamed("a", ", owner: x, namespaces: {labelSelector: {}}")).warnings ==
        Texts{"NamespaceTemplate \"a\": unknown field \"spec.owner\""});
}

TEST_CASE("A template with a misspelt selector is an error", "[migrate][populate]") {
  const auto errors = [](const std::string& namespaces) {
    return Read(TemplateNamed("a", namespaces)).errors;
  };
  CHECK(errors("") ==
        Texts{"all.yaml:2:1: NamespaceTemplate \"a\": spec.namespaces: Required value"});
  CHECK(errors(", namespaces: {labelSelector: {matchLabels: {tenant: }}}").size() == 1);
  CHECK(errors(", namespaces: {labelSelector: {matchLabels: {}}}").empty());
}

TEST_CASE("What says nothing by whom it is guarded is warned of", "[migrate][populate]") {
  const Texts warnings =
      Read(
          "apiVersion: policy.kubectl-prune.dev/v1alpha1\nkind: NamespaceTemplate\n"
          "metadata: {name: a}\nspec: {namespaces: {labelSelector: {}}, templates: [{apiVersion: "
          "v1, kind: ConfigMap, metadata: {name: b}, data: {c: $(CREATOR)}}]}\n")
          .warnings;
  CHECK(warnings == Texts{"NamespaceTemplate \"a\": it has $(CREATOR), which a cluster refuses "
                          "where no webhook guards the annotation authorization.k8s.io/creator"});
}

TEST_CASE("A label or annotation that nearly says something is warned of", "[migrate][populate]") {
  CHECK(Read(NamespaceNamedIn("a", "{policy/namespace-template-opt-out: 'True'}")).warnings ==
        Texts{"Namespace \"a\": the label policy/namespace-template-opt-out=True means nothing, "
              "policy/namespace-template-opt-out=true would"});
  CHECK(
      Read(NamespaceNamedIn("a", "{policy/namespace-template-opt-out: 'true'}")).warnings.empty());
  CHECK(Read("apiVersion: v1\nkind: Namespace\nmetadata: {name: a, annotations: "
             "{policy/namespace-template-opt-out: 'true'}}\n")
            .warnings.empty());
  CHECK(Read("apiVersion: v1\nkind: Namespace\nmetadata: {name: a, annotations: "
             "{policy/namespace-template-opt-out: 'yes'}}\n")
            .warnings ==
        Texts{"Namespace \"a\": the annotation policy/namespace-template-opt-out=yes means "
              "nothing, policy/namespace-template-opt-out=true would"});
}

TEST_CASE("Of a Namespace that cannot be read the name is kept", "[migrate][populate]") {
  const PopulationFiles files = Read(NamespaceNamedIn("a", "{b: 5}"));
  CHECK(files.unreadable_namespaces == std::set<std::string>{"a"});
  CHECK(files.namespaces.empty());
}

TEST_CASE("A version of templates that nobody knows is an error", "[migrate][populate]") {
  const PopulationFiles files = Read(
      "apiVersion: policy.kubectl-prune.dev/v1\nkind: NamespaceTemplate\nmetadata: {name: a}\n");
  CHECK(files.errors ==
        Texts{"all.yaml:1:1: NamespaceTemplate \"a\": of its versions only v1alpha1 "
              "is known"});
}

TEST_CASE("A path that does not exist ends a population", "[migrate][populate]") {
  CHECK_THROWS_AS(ReadPopulationFiles({"/nonexistent/a.yaml"}, false), kube::base::Error);
}

}  // namespace population_files_test
}  // namespace migrate::populate
