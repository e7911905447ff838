#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "migrate/check/cluster_check.h"
#include "tests/support/temp_folder.h"

namespace migrate::check {
namespace file_check_test {

using test_support::TempFolder;
using Strings = std::vector<std::string>;

// Two versions: v1 knows spec.a, spec.map and defaults spec.mode; v1beta1 knows spec.b.
constexpr std::string_view kCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.demo.example.com}
spec:
  group: demo.example.com
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {b: {type: string}}}}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              a: {type: string}
              mode: {type: string, default: fast}
              map: {type: object, additionalProperties: {type: object, properties: {x: {type: integer}}}}
              list: {type: array, items: {type: object, properties: {x: {type: integer}}}}
status: {storedVersions: [v1beta1, v1]}
)";

constexpr std::string_view kWidget = R"(
apiVersion: demo.example.com/v1
kind: Widget
metadata: {name: one, namespace: shop}
spec:
  a: null
  b: "1"
  map: {k1: {x: 1, w: 2}, k2: {w: 3}}
  list: [{x: 1}, {z: true}]
)";

report::CheckReport Check(const CheckOptions& options) { return CheckFiles(options); }

std::string Describe(const std::vector<report::FieldUse>& uses) {
  std::string text;
  for (const report::FieldUse& use : uses)
    text += use.path + "=" + std::to_string(use.objects) + " ";
  return text;
}

TEST_CASE("Every version says what it would prune, add and drop", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("a-objects.yaml", kWidget);  // before its CRD
  folder.Write("b-crd.yaml", kCrd);
  const report::CheckReport report = Check({.filenames = {folder.path()}, .show_objects = true});
  REQUIRE(report.file_errors == Strings{});
  REQUIRE(report.crds.size() == 1);
  const report::CrdReport& crd = report.crds[0];
  CHECK(crd.verdict == report::Verdict::kLosesFields);
  CHECK(crd.migration_needed);
  CHECK(crd.object_count == 1);
  REQUIRE(crd.versions.size() == 2);
  CHECK(Describe(crd.versions[0].pruned_fields) == "spec.a=1 spec.list=1 spec.map=1 ");
  CHECK(Describe(crd.versions[1].pruned_fields) == "spec.b=1 spec.list[*].z=1 spec.map.*.w=1 ");
  CHECK(crd.versions[1].pruned_fields[1].types == Strings{"boolean"});
  CHECK(crd.versions[1].pruned_fields[1].examples == Strings{"shop/one"});
  CHECK(Describe(crd.versions[1].added_defaults) == "spec.mode=1 ");
  CHECK(Describe(crd.versions[1].dropped_nulls) == "spec.a=1 ");
  CHECK(Describe(crd.versions[0].added_defaults).empty());
  REQUIRE(crd.storage_migration);
  CHECK(Describe(crd.storage_migration->pruned_fields) ==
        "spec.a=1 spec.b=1 spec.list=1 spec.list[*].z=1 spec.map=1 spec.map.*.w=1 ");
  REQUIRE(crd.objects.size() == 1);
  CHECK(crd.objects[0].pruned_paths.at("v1") ==
        Strings{"spec.b", "spec.list[1].z", "spec.map.k1.w", "spec.map.k2.w"});
}

TEST_CASE("Lists are taken apart, JSON and YAML may be mixed", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml", kCrd);
  folder.Write("list.json", R"({"kind":"List","apiVersion":"v1","items":[
    {"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"a"}},
    {"kind":"List","apiVersion":"v1","items":[
      {"apiVersion":"demo.example.com/v1beta1","kind":"Widget","metadata":{"name":"b"}}]},
    {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}]})");
  folder.Write("list.yaml",
               "kind: List\napiVersion: v1\nitems:\n- apiVersion: demo.example.com/v1\n"
               "  kind: Widget\n  metadata: {name: d}\n---\n# nothing\n---\n"
               "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: e}\n");
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  CHECK(report.file_errors == Strings{});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].object_count == 3);
  REQUIRE(report.unknown_kinds.size() == 2);
  CHECK(report.unknown_kinds[0].api_version == "apps/v1");
  CHECK(report.unknown_kinds[1].kind == "ConfigMap");
}

TEST_CASE("Items of a typed list need no kind of their own", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml", kCrd);
  folder.Write("a.json", R"({"kind":"WidgetList","apiVersion":"demo.example.com/v1",
    "items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  folder.Write("b.yaml",
               "kind: WidgetList\napiVersion: demo.example.com/v1\nitems:\n- metadata: {name: c}\n"
               "---\nkind: WidgetList\napiVersion: demo.example.com/v1\nitems: null\n");
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  CHECK(report.file_errors == Strings{});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].object_count == 3);
}

TEST_CASE("A stored version that is gone blocks the CRD", "[migrate][file_check]") {
  TempFolder folder;
  std::string crd(kCrd);
  crd.replace(crd.find("[v1beta1, v1]"), 13, "[v1alpha1, v1]");
  folder.Write("crd.yaml", crd);
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].verdict == report::Verdict::kBlocked);
  REQUIRE(report.crds[0].admission_problems.size() == 1);
  CHECK(report.crds[0].admission_problems[0].field == "status.storedVersions[0]");
}

TEST_CASE("Broken files are named with their place and the rest is done", "[migrate][file_check]") {
  TempFolder folder;
  const std::string crd = folder.Write("crd.yaml", kCrd);
  const std::string json =
      folder.Write("a.json",
                   "{\"kind\":\"List\",\"items\":[\n{\"kind\":\"Widget\",\"apiVersion\" 1},\n"
                   "{\"apiVersion\":\"demo.example.com/v1\",\"kind\":\"Widget\"}]}");
  const std::string no_kind = folder.Write("b.yaml", "---\n\napiVersion: v1\n");
  const std::string bad_metadata = folder.Write(
      "c.json", R"({"apiVersion":"v1","kind":"X","metadata":{"name":"n","ownerReferences":"x"}})");
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].object_count == 1);
  REQUIRE(report.file_errors.size() == 3);
  CHECK(report.file_errors[0] == json + ":2:31: missing a colon after a name of object member");
  CHECK(report.file_errors[1].ends_with("Object 'Kind' is missing"));
  CHECK(report.file_errors[1].starts_with(no_kind + ":"));
  CHECK(report.file_errors[2] ==
        bad_metadata +
            ":1:1: n cannot be decoded: json: cannot unmarshal string into "
            "Go struct field ObjectMeta.ownerReferences of type "
            "[]v1.OwnerReference");
}

TEST_CASE("A CRD that cannot be decoded is unknown and named", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml",
               "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
               "metadata: {name: x.example.com}\nspec: {versions: 1}\n");
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].name == "x.example.com");
  CHECK(report.crds[0].verdict == report::Verdict::kUnknown);
  CHECK(!report.crds[0].error.empty());
  CHECK(report.file_errors.size() == 1);
}

TEST_CASE("Objects are checked against every CRD of the same name", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd1.yaml", kCrd);
  folder.Write("crd2.yaml", kCrd);
  folder.Write("widget.yaml", kWidget);
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  REQUIRE(report.crds.size() == 2);
  CHECK(report.crds[0].object_count == 1);
  CHECK(report.crds[1].object_count == 1);
  CHECK(report.crds[0].source.ends_with("crd1.yaml"));
}

TEST_CASE("CRDs are named as kubectl names resources", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml", kCrd);
  const std::string name = GENERATE("widgets.demo.example.com", "widgets", "widget", "Widget", "wd",
                                    "crd/widgets.demo.example.com", "widget.demo.example.com");
  CAPTURE(name);
  CHECK(Check({.crd_names = {name}, .filenames = {folder.path()}}).crds.size() == 1);
  CHECK(Check({.ignored_crds = {name}, .filenames = {folder.path()}}).crds.empty());
}

TEST_CASE("A name that fits no CRD or several is an error", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml", kCrd);
  std::string other(kCrd);
  for (std::size_t at; (at = other.find("demo.example.com")) != std::string::npos;) {
    other.replace(at, 16, "example.org");
  }
  folder.Write("other.yaml", other);
  CHECK_THROWS_WITH(Check({.crd_names = {"gizmos"}, .filenames = {folder.path()}}),
                    "no CustomResourceDefinition named \"gizmos\"");
  CHECK_THROWS_WITH(
      Check({.crd_names = {"widgets"}, .filenames = {folder.path()}}),
      "\"widgets\" is ambiguous; name one of: widgets.demo.example.com, widgets.example.org");
}

TEST_CASE("Skipped objects leave the counts out", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml", kCrd);
  folder.Write("widget.yaml", kWidget);
  const report::CheckReport report = Check({.filenames = {folder.path()}, .skip_objects = true});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].objects_skipped);
  CHECK(!report.crds[0].versions[1].objects);
}

TEST_CASE("A CRD is found however its kind is written", "[migrate][file_check]") {
  const auto text = GENERATE(
      std::string(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"Custom\u0052esourceDefinition",
                      "metadata":{"name":"x.example.com"},"spec":{"names":{"kind":"X"}}})"),
      std::string("kind: \"Custom\\x52esourceDefinition\"\napiVersion: apiextensions.k8s.io/v1\n"
                  "metadata: {name: x.example.com}\nspec: {names: {kind: X}}\n"),
      // As the server answers a list of them.
      std::string(R"({"kind":"CustomResourceDefinitionList","apiVersion":"apiextensions.k8s.io/v1",
                      "items":[{"metadata":{"name":"x.example.com"},"spec":{"names":{"kind":"X"}}}]})"));
  TempFolder folder;
  folder.Write("crd.yaml", text);
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  CHECK(report.file_errors == Strings{});
  CHECK(report.crds.size() == 1);
}

TEST_CASE("Reports are the same in every run", "[migrate][file_check]") {
  TempFolder folder;
  for (int i = 0; i < 20; ++i) {
    folder.Write("broken" + std::to_string(i) + ".yaml",
                 "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                 "metadata: {name: x.example.com}\nspec: {versions: 1}\n---\n{");
  }
  const report::CheckReport first = Check({.filenames = {folder.path()}});
  CHECK(first.crds.size() == 20);
  CHECK(first.file_errors.size() == 40);
  for (int run = 0; run < 5; ++run) {
    const report::CheckReport again = Check({.filenames = {folder.path()}});
    CHECK(again.file_errors == first.file_errors);
    for (std::size_t i = 0; i < 20; ++i) CHECK(again.crds[i].source == first.crds[i].source);
  }
}

TEST_CASE("A large file may have its CRD behind the objects", "[migrate][file_check]") {
  TempFolder folder;
  std::string text;
  const std::string padding(100 * 1024, 'x');
  for (int i = 0; i < 90; ++i) {
    text += R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"w)" +
            std::to_string(i) + R"("},"spec":{"unknown":")" + padding + "\"}}\n";
  }
  text += R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.demo.example.com"},"spec":{"group":"demo.example.com",
    "names":{"plural":"widgets","kind":"Widget"},"scope":"Namespaced","versions":[{"name":"v1",
    "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  folder.Write("dump.json", text);
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].object_count == 90);
  CHECK(Describe(report.crds[0].versions[0].pruned_fields) == "spec=90 ");
  CHECK(report.crds[0].versions[0].pruned_fields[0].examples == Strings{"w0", "w1", "w2"});
}

TEST_CASE("Objects of the deepest nesting are checked", "[migrate][file_check]") {
  TempFolder folder;
  folder.Write("crd.yaml", kCrd);
  const std::string deep = std::string(9000, '[') + std::string(9000, ']');
  folder.Write("deep.json", R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
    "metadata":{"name":"deep"},"spec":{"a":)" +
                                deep + R"(,"b":)" + deep + "}}");
  const report::CheckReport report = Check({.filenames = {folder.path()}});
  CHECK(report.file_errors == Strings{});
  REQUIRE(report.crds.size() == 1);
  CHECK(Describe(report.crds[0].versions[1].pruned_fields) == "spec.b=1 ");
}

}  // namespace file_check_test
}  // namespace migrate::check
