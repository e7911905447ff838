#include "plugin/report/check_sections.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace {

using migrate::report::CrdReport;
using migrate::report::Verdict;
using test_reports::Use;

std::string Print(const CrdReport& crd) { return PrintSection(crd, {.now = test_reports::kNow}); }

TEST_CASE("A CRD with nothing to explain has no section", "[plugin][check_sections]") {
  CHECK(Print(test_reports::Certificates()) == "");
  CHECK(Print(test_reports::Gadgets()) == "");
}

TEST_CASE("A blocked CRD shows its problems and how to fix them", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gizmos();
  crd.source = "crds/gizmos.yaml";
  CHECK(Print(crd) ==
        "gizmos.demo.example.com is not structural:\n"
        "  v1  spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must "
        "not be empty for specified object fields\n"
        "      hint: give spec a type, as a rule \"type: object\"\n"
        "Next: fix crds/gizmos.yaml (kubectl prune suggest --local with these files prints how), "
        "and check again\n");
}

TEST_CASE("A live CRD shows the condition that the server set", "[plugin][check_sections]") {
  const std::string out = Print(test_reports::Gizmos());
  CHECK(
      out.starts_with("gizmos.demo.example.com is not structural:\n"
                      "  the server's condition: NonStructuralSchema=True, reason Violations\n"));
  CHECK(out.ends_with(
      "Next: fix the CRD (kubectl prune suggest gizmos.demo.example.com prints how). Then: "
      "kubectl prune check gizmos.demo.example.com\n"));
}

TEST_CASE("What the server would refuse is told beside", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gizmos();
  crd.source = "a.yaml";
  crd.problems.clear();
  crd.admission_problems = {{"", "spec.versions[0].schema.openAPIV3Schema",
                             "spec.versions[0].schema.openAPIV3Schema: Required value: because "
                             "otherwise all fields are pruned",
                             "write a schema"}};
  CHECK(Print(crd) ==
        "gizmos.demo.example.com with pruning on would be refused by the API server:\n"
        "  spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields "
        "are pruned\n"
        "    hint: write a schema\n"
        "Next: fix a.yaml, and check again\n");
}

TEST_CASE("The flag itself is no reason against turning it off", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.admission_problems = {{"", "spec.preserveUnknownFields",
                             "spec.preserveUnknownFields: Invalid value: true: cannot set to true",
                             "set it to false"}};
  CHECK(Print(crd) == "");
}

TEST_CASE("Lost fields are listed with who writes them", "[plugin][check_sections]") {
  CHECK(Print(test_reports::Widgets()) ==
        "widgets.demo.example.com would lose 2 fields in 1874 of 2000 objects:\n"
        "  VERSION       PATH                   OBJECTS   TYPES     WRITTEN-BY           "
        "LAST-WRITTEN   EXAMPLE\n"
        "  v1, v1beta1   .spec.legacyMode       1874      boolean   helm, old-operator   "
        "4m             default/w000000\n"
        "  v1            .spec.ports[*].proto   12        string    kubectl-edit         "
        "412d           shop/w000310\n"
        "Next: add the fields to the schema (kubectl prune suggest widgets.demo.example.com prints "
        "how), or stop writing them. Then: kubectl prune migrate "
        "widgets.demo.example.com --enable-pruning\n");
  CrdReport proposed = test_reports::Widgets();
  proposed.source = "new.yaml";
  CHECK_THAT(Print(proposed),
             Catch::EndsWith("stop writing them. Then: kubectl apply -f new.yaml && "
                             "kubectl prune migrate widgets.demo.example.com "
                             "--enable-pruning\n"));
}

TEST_CASE(
    "What the storage version alone loses, as a migration tells it, is told where that is less",
    "[plugin][check_sections]") {
  CrdReport crd = test_reports::Widgets();
  std::swap(crd.versions[0].pruned_fields, crd.versions[1].pruned_fields);
  CHECK_THAT(Print(crd), Catch::StartsWith(
                             "widgets.demo.example.com would lose 2 fields in 1874 of 2000 objects "
                             "(1 of these, in 1874 objects, is missing from the schema of "
                             "storage version v1):\n"));
  crd.versions[0].pruned_fields.clear();
  crd.versions[0].objects_losing_fields = 0;
  CHECK_THAT(
      Print(crd),
      Catch::Contains(" (none of these are missing from the schema of storage version v1):\n"));
  crd.versions[0].objects = std::nullopt;  // nobody knows
  CHECK_THAT(Print(crd), !Catch::Contains("storage version"));
}

TEST_CASE("A loss where pruning is on already needs no flip", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Widgets();
  crd.preserve_unknown_fields = false;
  CHECK(Print(crd).ends_with(
      "Next: add the fields to the schema (kubectl prune suggest "
      "widgets.demo.example.com prints how), or take them out of the objects\n"));
}

TEST_CASE("A storage migration shows only what it loses beyond", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Widgets();
  auto& migration = crd.storage_migration.emplace();
  migration.objects_losing_fields = 1880;
  migration.pruned_fields = {crd.versions[0].pruned_fields[0]};
  CHECK(Print(crd) == Print(test_reports::Widgets()));
  migration.pruned_fields.push_back(Use("spec.size", 6));
  migration.pruned_fields[1].types = {"number"};
  CHECK(Print(crd).find(
            "\nwidgets.demo.example.com: a storage migration in one pass could lose 1 more field, "
            "if the objects are stored in an older version:\n"
            "  PATH         OBJECTS   TYPES    WRITTEN-BY   LAST-WRITTEN   EXAMPLE\n"
            "  .spec.size   6         number   <unknown>    <unknown>      <none>\n") !=
        std::string::npos);
}

TEST_CASE("What else a rewrite changes is told before the flip", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.versions[0].added_defaults = {Use("spec.mode", 7)};
  CHECK(Print(crd) ==
        "gadgets.demo.example.com: a rewrite also changes:\n"
        "  VERSION   PATH         OBJECTS   CHANGE\n"
        "  v1        .spec.mode   7         default is added\n");
  crd.preserve_unknown_fields = false;
  crd.verdict = Verdict::kPruning;
  CHECK(Print(crd) == "");
  CHECK(PrintSection(crd, {.wide = true, .now = test_reports::kNow}) != "");
}

TEST_CASE("The flag --show-objects lists each object with its fields", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.objects = {{.namespace_ = "default",
                  .name = "w0",
                  .source = "",
                  .pruned_paths = {{"v1", {"spec.a", "spec.b[0].c"}},
                                   {"v1beta1", {"spec.a", "spec.b[0].c"}},
                                   {"v2", {}}}},
                 {.namespace_ = "", .name = "w1", .source = "", .pruned_paths = {{"v2", {"x"}}}}};
  CHECK(Print(crd) == "");
  CHECK(PrintSection(crd, {.show_objects = true, .now = test_reports::kNow}) ==
        "gadgets.demo.example.com: objects that would lose fields:\n"
        "  OBJECT       VERSION       FIELDS\n"
        "  default/w0   v1, v1beta1   .spec.a, .spec.b[0].c\n"
        "  w1           v2            .x\n");
}

TEST_CASE("Names that hold dots are quoted in paths", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.objects = {{.namespace_ = "",
                  .name = "w0",
                  .source = "",
                  .pruned_paths = {{"v1", {"a.b", "c"}}},
                  .quoted_paths = {{"a.b", "['a.b']"}}}};
  CHECK_THAT(PrintSection(crd, {.show_objects = true, .now = test_reports::kNow}),
             Catch::EndsWith("  w0       v1        ['a.b'], .c\n"));
}

TEST_CASE("Paths that are too many to be kept are counted", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.objects = {{.namespace_ = "",
                  .name = "w0",
                  .source = "",
                  .pruned_paths = {{"v1", {"a", "b"}}, {"v2", {}}},
                  .paths_left_out = {{"v1", 7}, {"v2", 9}}}};
  CHECK(PrintSection(crd, {.show_objects = true, .now = test_reports::kNow}) ==
        "gadgets.demo.example.com: objects that would lose fields:\n"
        "  OBJECT   VERSION   FIELDS\n"
        "  w0       v1        .a, .b, and 7 more\n"
        "  w0       v2        9 more\n");
}

TEST_CASE("A CRD that could not be read says why", "[plugin][check_sections]") {
  CrdReport crd;
  crd.name = "a.example.com";
  crd.source = "a.yaml";
  crd.error = "spec.versions: expected a list";
  CHECK(PrintSection(crd, {.show_source = true, .now = test_reports::kNow}) ==
        "a.example.com (a.yaml) could not be checked: spec.versions: expected a list\n");
}

TEST_CASE("A CRD that prunes but has older stored versions names them",
          "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.migration_needed = true;
  crd.stored_versions = {"v1alpha2", "v1alpha3", "v1"};
  CHECK(Print(crd) ==
        "certificates.cert-manager.io may have objects stored as v1alpha2, v1alpha3; its storage "
        "version is v1\n"
        "Next: kubectl prune migrate certificates.cert-manager.io\n");
}

TEST_CASE("Objects that pruning makes invalid are named, once for versions that agree",
          "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.versions.clear();
  for (const char* name : {"v1", "v2", "v3", "v4"}) {
    migrate::report::VersionReport& version = crd.versions.emplace_back();
    version.name = name;
    version.objects_invalid_once_pruned = 12;
    version.invalid_once_pruned = {"default/a: spec.p: Required value"};
    if (version.name == "v2") version.invalid_once_pruned = {"default/b: \x1B"};
    if (version.name == "v4") version.objects_invalid_once_pruned = 1;
  }
  CHECK(Print(crd) ==
        "certificates.cert-manager.io: once pruned, 12 objects would be invalid in v1, v3, and "
        "updates refused:\n"
        "  default/a: spec.p: Required value\n"
        "  ... and 11 more\n"
        "certificates.cert-manager.io: once pruned, 12 objects would be invalid in v2, and updates "
        "refused:\n"
        "  default/b: ^[\n"
        "  ... and 11 more\n"
        "certificates.cert-manager.io: once pruned, 1 object would be invalid in v4, and updates "
        "refused:\n"
        "  default/a: spec.p: Required value\n");
}

// Of a server that tolerates what it can.
migrate::report::ValidityReport SomeValidity() {
  return {.objects = 2,
          .fields = {{.path = "",
                      .message = "spec: Required value",
                      .objects = 1,
                      .examples = {"default/a"},
                      .since_proposal = true},
                     {.path = "spec.size",
                      .message = "spec.size: too \x1B",
                      .objects = 3,
                      .managers = {"helm"},
                      .examples = {"default/b", "default/c"},
                      .tolerated = true}},
          .server_tolerates = true};
}

TEST_CASE("What the server would refuse is told apart from what it lets be",
          "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.verdict = migrate::report::Verdict::kInvalid;
  crd.object_count = 7;
  crd.versions.clear();
  for (const char* name : {"v1", "v2"}) {
    migrate::report::VersionReport& version = crd.versions.emplace_back();
    version.name = name;
    version.validity = SomeValidity();
  }
  CHECK(Print(crd) ==
        "certificates.cert-manager.io: the API server would refuse the next write of 2 of 7 "
        "objects in v1, v2:\n"
        "  PATH   OBJECTS   NEW   WRITTEN-BY   EXAMPLE     MESSAGE\n"
        "  .      1         yes   <unknown>    default/a   spec: Required value\n"
        "certificates.cert-manager.io: invalid in v1, v2, but let be by this API server until the "
        "value changes:\n"
        "  PATH         OBJECTS   WRITTEN-BY   EXAMPLE     MESSAGE\n"
        "  .spec.size   3         helm         default/b   spec.size: too ^[\n"
        "Next: fix the objects, or loosen the schema. Then check again\n");
}

TEST_CASE("All that some server refuses counts where nothing is tolerated",
          "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.verdict = migrate::report::Verdict::kInvalid;
  migrate::report::ValidityReport validity = SomeValidity();
  validity.server_tolerates = false;
  crd.versions[0].objects_invalid_once_pruned = 1;
  crd.versions[0].invalid_once_pruned = {"default/a: spec: Required value"};
  crd.versions[0].validity = validity;
  const std::string text = Print(crd);
  CHECK_THAT(text, Catch::Contains(": once pruned, the API server would refuse the next write"));
  CHECK_THAT(text, Catch::Contains("spec.size: too ^["));
  CHECK_THAT(text, !Catch::Contains("let be"));
  CHECK_THAT(text, !Catch::Contains("would be invalid"));
}

TEST_CASE("What only readers of a version lose is told as that", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.stored_versions = {crd.storage_version};
  crd.versions[0].pruned_fields = {Use("spec.p", 1)};
  REQUIRE(crd.versions[0].storage);
  const auto is_told = Catch::Contains("No object is stored as ");
  CHECK_THAT(Print(crd), !is_told);
  crd.versions.push_back(crd.versions[0]);
  crd.versions.back().name = "v0";
  crd.versions.back().storage = false;
  CHECK_THAT(Print(crd), !is_told);  // a migration takes that, too
  crd.versions.back().pruned_fields.push_back(Use("spec.q", 1));
  CHECK_THAT(Print(crd),
             Catch::Contains("  No object is stored as v0. Once pruning is on, v0 clients do not "
                             "see the fields that only the schema of v0 lacks"));
  crd.preserve_unknown_fields = false;
  CHECK_THAT(Print(crd), Catch::Contains("  No object is stored as v0. v0 clients do not see"));
  crd.stored_versions.push_back("v0");
  CHECK_THAT(Print(crd), !is_told);
  crd.stored_versions.pop_back();
  crd.source = "crd.yaml";  // which knows nothing of what is stored
  CHECK_THAT(Print(crd), !is_told);
}

TEST_CASE("Where nothing is lost the objects are to be fixed", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Gadgets();
  crd.verdict = migrate::report::Verdict::kLosesFields;
  crd.versions[0].objects_invalid_once_pruned = 1;
  crd.versions[0].invalid_once_pruned = {"default/a: spec.p: Required value"};
  CHECK_THAT(Print(crd),
             Catch::EndsWith("\n  default/a: spec.p: Required value\n"
                             "Next: fix the objects, or loosen the schema. Then check again\n"));
}

TEST_CASE("What etcd may still hold and bad objects are noted", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.object_errors = {"default/a: metadata.name: \x1B"};
  crd.maybe_in_etcd = {Use("spec.old", 3)};
  crd.maybe_in_etcd[0].managers = {"helm"};
  CHECK(Print(crd) ==
        "certificates.cert-manager.io: objects that could not be checked:\n"
        "  default/a: metadata.name: ^[\n"
        "certificates.cert-manager.io: etcd may still hold fields that reads no longer show; a "
        "rewrite removes them for good (kubectl prune migrate certificates.cert-manager.io "
        "--enable-pruning asks before):\n"
        "  PATH        OBJECTS   WRITTEN-BY\n"
        "  .spec.old   3         helm\n");
  crd.maybe_in_etcd.push_back(Use("spec.kept", 1));
  crd.maybe_in_etcd[1].shown_in = {"v1alpha2", "v1alpha3"};
  CHECK_THAT(Print(crd),
             Catch::Contains("fields that reads in v1 do not show; a rewrite removes") &&
                 Catch::EndsWith("  PATH         OBJECTS   WRITTEN-BY   SHOWN-IN\n"
                                 "  .spec.old    3         helm         <none>\n"
                                 "  .spec.kept   1         <none>       v1alpha2, v1alpha3\n"));
  crd.maybe_in_etcd.pop_back();
  crd.source = "new.yaml";
  CHECK_THAT(Print(crd), Catch::Contains("reads no longer show; a rewrite removes for good what "
                                         "the schemas do not specify:\n") &&
                             !Catch::Contains("kubectl prune migrate"));
}

TEST_CASE("Whose managedFields name lost versions is told, with the next step",
          "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.stale_managed_fields = {{.api_version = "cert-manager.io/v1alpha2",
                               .manager = "helm\x1B",
                               .operation = "Apply",
                               .subresource = "",
                               .objects = 2,
                               .examples = {"default/a", "default/b"}},
                              {.api_version = "cert-manager.io/v1alpha2",
                               .manager = "operator",
                               .operation = "Update",
                               .subresource = "status",
                               .objects = 1,
                               .examples = {"default/a"}}};
  const std::string table =
      "  VERSION                    MANAGER    OPERATION          OBJECTS   EXAMPLES\n"
      "  cert-manager.io/v1alpha2   helm^[     Apply              2         default/a, default/b\n"
      "  cert-manager.io/v1alpha2   operator   Update of status   1         default/a\n";
  CHECK(Print(crd) ==
        "certificates.cert-manager.io: managedFields of objects name versions that the CRD does "
        "not have, so server-side apply of these fails (kubectl prune migrate "
        "certificates.cert-manager.io fixes that):\n" +
            table);
  crd.source = "new.yaml";
  CHECK_THAT(Print(crd),
             Catch::Contains("will not have, and server-side apply of these fails then "
                             "(kubectl prune migrate certificates.cert-manager.io fixes that, once "
                             "it is applied):\n" +
                             table));
}

TEST_CASE("Whose managedFields any write would empty is told", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.storage_version = "v1";
  crd.unfit_managed_fields = {{.api_version = "cert-manager.io/v1beta1",
                               .manager = "helm",
                               .operation = "Apply",
                               .subresource = "",
                               .objects = 2,
                               .examples = {"default/a", "default/b"}}};
  const auto words = [](const std::string& when) {
    return "certificates.cert-manager.io: any write in v1 empties managedFields of objects" + when +
           ". They name versions that lack fields which these objects have (kubectl prune migrate "
           "certificates.cert-manager.io keeps them):\n"
           "  VERSION                   MANAGER   OPERATION   OBJECTS   EXAMPLES\n"
           "  cert-manager.io/v1beta1   helm      Apply       2         default/a, default/b\n";
  };
  CHECK_THAT(Print(crd), Catch::Contains(words("")));
  crd.preserve_unknown_fields = true;
  CHECK_THAT(Print(crd), Catch::Contains(words(", once pruning is on")));
  crd.source = "new.yaml";
  CHECK_THAT(Print(crd), Catch::Contains(words(", once it is applied")));
}

TEST_CASE("All that etcd may hold is listed of a CRD that was named", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  for (int i = 10; i < 35; ++i) crd.maybe_in_etcd.push_back(Use("spec.f" + std::to_string(i), 1));
  CHECK_THAT(Print(crd), !Catch::Contains("spec.f34") && Catch::EndsWith("  ... and 15 more\n"));
  CHECK_THAT(PrintSection(crd, {.all_fields = true, .now = test_reports::kNow}),
             Catch::Contains("spec.f34") && !Catch::Contains(" more"));
}

TEST_CASE("What was verified is said with what it rests on", "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.verified = {"2026-11-23T10:00:00Z", 412};
  const std::string verified =
      "certificates.cert-manager.io: verified 2026-11-23 by a pass over 412 objects: etcd holds "
      "only what the schemas specify";
  CHECK(Print(crd) == verified + "\n");
  crd.maybe_in_etcd = {Use("spec.old", 3)};
  CHECK_THAT(Print(crd), Catch::StartsWith(verified + ", but for objects that it has not seen\n"));
  crd.source = "new.yaml";
  CHECK_THAT(Print(crd),
             Catch::StartsWith(verified +
                               " that the cluster has, but for objects that it has not seen\n"));
  crd.source.clear();
  // Of what was not read now nothing is concluded.
  const std::string alone =
      "certificates.cert-manager.io: verified 2026-11-23 by a pass over 412 objects\n";
  CHECK_THAT(PrintSection(crd, {.some_objects = true, .now = test_reports::kNow}),
             Catch::StartsWith(alone));
  crd.error = "interrupted after 100 objects";
  CHECK_THAT(Print(crd), Catch::Contains(alone));
}

TEST_CASE("A long refusal is told by its causes, the deciding one first",
          "[plugin][check_sections]") {
  CrdReport crd = test_reports::Certificates();
  crd.source = "new.yaml";
  crd.apply.emplace();
  crd.apply->causes = {"spec.preserveUnknownFields: Invalid value: true: must be false"};
  for (int i = 0; i < 12; ++i) {
    crd.apply->causes.push_back("spec.versions[" + std::to_string(i) +
                                "].schema.openAPIV3Schema: Required value: schemas are required");
  }
  crd.apply->causes.push_back("spec.scope: Invalid value: \"Cluster\": field is immutable");
  for (const std::string& cause : crd.apply->causes) crd.apply->message += "* " + cause + "\n";
  CHECK_THAT(Print(crd),
             Catch::Contains(": kubectl apply is refused:\n"
                             "  spec.scope: Invalid value: \"Cluster\": field is immutable\n"
                             "  spec.versions[0].schema.openAPIV3Schema: Required value: schemas "
                             "are required (12 fields in all)\n"
                             "  spec.preserveUnknownFields: Invalid value: true: must be false\n"));
  const std::string wide = PrintSection(crd, {.wide = true, .now = test_reports::kNow});
  CHECK_THAT(wide, Catch::Contains("* spec.versions[11].schema"));
  const std::string whole = PrintSection(crd, {.all_causes = true, .now = test_reports::kNow});
  CHECK_THAT(whole, Catch::Contains("* spec.versions[11].schema"));
}

}  // namespace
}  // namespace plugin::report
