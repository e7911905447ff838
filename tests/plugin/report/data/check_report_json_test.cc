#include "plugin/report/check_report_json.h"

#include <catch2/catch.hpp>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace {

using kube::json::KeyOrder;
using migrate::report::CheckReport;
using migrate::report::CrdReport;
using test_reports::Report;
using test_reports::Use;

std::string Print(const CheckReport& report, bool show_objects = false) {
  kube::json::Arena arena;
  return kube::json::PrintIndented(ToJson(report, show_objects, arena));
}

TEST_CASE("Stale managedFields are told where there are any", "[plugin][check_report_json]") {
  CrdReport crd = test_reports::Widgets();
  CHECK(Print(Report({crd})).find("staleManagedFields") == std::string::npos);
  crd.stale_managed_fields = {{.api_version = "g/v0",
                               .manager = "helm",
                               .operation = "Update",
                               .subresource = "status",
                               .objects = 2,
                               .examples = {"shop/a"}}};
  kube::json::Arena arena;
  const CheckReport report = Report({crd});
  const auto printed = ToJson(report, false, arena);
  const auto& told = printed.Find("crds")->elements()[0];
  CHECK(kube::json::Print(*told.Find("staleManagedFields")) ==
        R"([{"apiVersion":"g/v0","examples":["shop/a"],"manager":"helm","objects":2,)"
        R"("operation":"Update","subresource":"status"}])");
}

TEST_CASE("The report says where, when and by what it was made, as far as that is known",
          "[plugin][check_report_json]") {
  CheckReport report = Report({});
  CHECK(Print(report).find("cluster") == std::string::npos);
  report.run = {.cluster = "https://10.0.0.1:6443",
                .context = "staging",
                .time = "2026-11-25T10:00:00Z",
                .version = "v0.1.0"};
  kube::json::Arena arena;
  const auto printed = ToJson(report, false, arena);
  CHECK(printed.FindText("cluster") == "https://10.0.0.1:6443");
  CHECK(printed.FindText("context") == "staging");
  CHECK(printed.FindText("time") == "2026-11-25T10:00:00Z");
  CHECK(printed.FindText("programVersion") == "v0.1.0");
}

TEST_CASE("The report has every key of the contract", "[plugin][check_report_json]") {
  CrdReport crd = test_reports::Widgets();
  crd.versions[1].pruned_fields.clear();
  crd.versions[1].objects_losing_fields = 0;
  crd.versions[0].pruned_fields.pop_back();
  crd.versions[0].added_defaults = {Use("spec.mode", 2)};
  crd.versions[0].dropped_nulls = {Use("spec.size", 3)};
  crd.admission_problems = {{"", "spec.group", "spec.group: Invalid value", "fix it"}};
  crd.storage_migration = {.objects_losing_fields = 4, .pruned_fields = {Use("spec.x", 4)}};
  crd.maybe_in_etcd = {Use("spec.y", 5)};
  crd.maybe_in_etcd[0].managers = {"helm"};
  crd.objects = {{.namespace_ = "default",
                  .name = "w0",
                  .source = "",
                  .pruned_paths = {{"v1", {"spec.legacyMode", "spec.list[0].x"}}},
                  .paths_left_out = {{"v1", 3}},
                  .invalid = {"spec.size: Required value"}}};
  CHECK(Print(Report({crd}), /*show_objects=*/true) == R"({
    "apiVersion": "kubectl-prune/v1alpha1",
    "crds": [
        {
            "admissionProblems": [
                {
                    "field": "spec.group",
                    "hint": "fix it",
                    "message": "spec.group: Invalid value"
                }
            ],
            "group": "demo.example.com",
            "kind": "Widget",
            "maybeInEtcd": [
                {
                    "managers": [
                        "helm"
                    ],
                    "objects": 5,
                    "path": "spec.y"
                }
            ],
            "migrationNeeded": true,
            "name": "widgets.demo.example.com",
            "objects": [
                {
                    "invalid": [
                        "spec.size: Required value"
                    ],
                    "name": "w0",
                    "namespace": "default",
                    "pathsLeftOut": {
                        "v1": 3
                    },
                    "prunedPaths": {
                        "v1": [
                            "spec.legacyMode",
                            "spec.list[0].x"
                        ]
                    }
                }
            ],
            "preserveUnknownFields": true,
            "problems": [],
            "scope": "Namespaced",
            "servedVersions": [
                "v1",
                "v1beta1"
            ],
            "storageMigration": {
                "objectsLosingFields": 4,
                "prunedFields": [
                    {
                        "examples": [],
                        "managers": [],
                        "objects": 4,
                        "path": "spec.x",
                        "types": []
                    }
                ]
            },
            "storageVersion": "v1",
            "storedVersions": [
                "v1beta1",
                "v1"
            ],
            "verdict": "loses-fields",
            "versions": [
                {
                    "addedDefaults": [
                        {
                            "objects": 2,
                            "path": "spec.mode"
                        }
                    ],
                    "droppedNulls": [
                        {
                            "objects": 3,
                            "path": "spec.size"
                        }
                    ],
                    "name": "v1",
                    "objects": 2000,
                    "objectsLosingFields": 1874,
                    "prunedFields": [
                        {
                            "examples": [
                                "default/w000000",
                                "default/w000001"
                            ],
                            "lastWritten": "2026-11-21T02:56:00Z",
                            "managers": [
                                "helm",
                                "old-operator"
                            ],
                            "objects": 1874,
                            "path": "spec.legacyMode",
                            "types": [
                                "boolean"
                            ]
                        }
                    ],
                    "served": true,
                    "storage": true,
                    "structural": true
                },
                {
                    "addedDefaults": [],
                    "droppedNulls": [],
                    "name": "v1beta1",
                    "objects": 2000,
                    "objectsLosingFields": 0,
                    "prunedFields": [],
                    "served": true,
                    "storage": false,
                    "structural": true
                }
            ]
        }
    ],
    "kind": "CheckReport",
    "summary": {
        "blocked": 0,
        "crds": 1,
        "invalid": 0,
        "losesFields": 1,
        "objects": 2000,
        "objectsLosingFields": 1874,
        "pruning": 0,
        "ready": 0,
        "unknown": 0
    }
})");
}

TEST_CASE("What is not there or not known is left out", "[plugin][check_report_json]") {
  kube::json::Arena arena;
  const CheckReport report = Report({test_reports::Gizmos()});
  const kube::json::Value root = ToJson(report, /*show_objects=*/false, arena);
  const kube::json::Value& crd = root.Find("crds")->elements()[0];
  for (const char* key : {"objects", "error", "storageMigration", "source", "objectErrors"}) {
    CAPTURE(key);
    CHECK(crd.Find(key) == nullptr);
  }
  CHECK(root.Find("unknownKinds") == nullptr);
  CHECK(root.Find("fileErrors") == nullptr);
  CHECK(crd.Find("versions")->elements()[0].Find("objects") == nullptr);
  CHECK(crd.Find("versions")->elements()[0].Find("objectsLosingFields") == nullptr);
  CHECK(crd.Find("versions")->elements()[0].Find("objectsInvalidOncePruned") == nullptr);
  CHECK(crd.Find("versions")->elements()[0].Find("invalidOncePruned") == nullptr);
  CHECK(crd.Find("condition")->FindText("reason") == "Violations");
  CHECK(crd.Find("problems")->elements()[0].FindText("version") == "v1");
  CHECK(crd.FindText("verdict") == "blocked");
}

TEST_CASE("An empty report is a report", "[plugin][check_report_json]") {
  CHECK(Print(CheckReport()) == R"({
    "apiVersion": "kubectl-prune/v1alpha1",
    "crds": [],
    "kind": "CheckReport",
    "summary": {
        "blocked": 0,
        "crds": 0,
        "invalid": 0,
        "losesFields": 0,
        "objects": 0,
        "objectsLosingFields": 0,
        "pruning": 0,
        "ready": 0,
        "unknown": 0
    }
})");
}

TEST_CASE("Errors and unknown kinds are in the report", "[plugin][check_report_json]") {
  CheckReport report = Report({test_reports::Certificates()});
  report.unknown_kinds = {{"v1", "Pod", 2}};
  report.file_errors = {"\xFF.yaml:3:1: why"};
  report.crds[0].source = "a.yaml";
  report.crds[0].error = "broken";
  report.crds[0].note = "not known";
  report.not_all_crds_read = true;
  report.crds[0].object_errors = {"a/b: why"};
  report.crds[0].versions.at(0).objects_invalid_once_pruned = 2;
  report.crds[0].versions[0].invalid_once_pruned = {"a/c: why"};
  report.crds[0].versions[0].validity = {.objects = 1,
                                         .fields = {{.path = "spec",
                                                     .message = "spec: why",
                                                     .objects = 2,
                                                     .managers = {"helm"},
                                                     .examples = {"a/b"},
                                                     .since_proposal = true}}};
  kube::json::Arena arena;
  const kube::json::Value root = ToJson(report, /*show_objects=*/true, arena);
  const kube::json::Value& crd = root.Find("crds")->elements()[0];
  CHECK(crd.FindText("source") == "a.yaml");
  CHECK(crd.FindText("error") == "broken");
  CHECK(crd.FindText("note") == "not known");
  CHECK(root.Find("notAllCrdsRead")->AsBool());
  CHECK(crd.Find("objectsSkipped")->AsBool());
  CHECK(crd.Find("objects")->is_array());
  CHECK(crd.Find("objectErrors")->elements()[0].text() == "a/b: why");
  const kube::json::Value& version = crd.Find("versions")->elements()[0];
  CHECK(kube::json::Print(*version.Find("objectsInvalidOncePruned")) == "2");
  CHECK(version.Find("invalidOncePruned")->elements()[0].text() == "a/c: why");
  CHECK(kube::json::Print(*version.Find("objectsInvalid")) == "1");
  CHECK(kube::json::Print(version.Find("invalidFields")->elements()[0], KeyOrder::kSorted) ==
        R"({"examples":["a/b"],"managers":["helm"],"message":"spec: why","objects":2,)"
        R"("path":"spec","sinceProposal":true,"tolerated":false})");
  CHECK(kube::json::Print(*root.Find("unknownKinds"), KeyOrder::kSorted) ==
        R"([{"apiVersion":"v1","kind":"Pod","objects":2}])");
  CHECK(root.Find("fileErrors")->elements()[0].text() == "\xEF\xBF\xBD.yaml:3:1: why");
}

TEST_CASE("What a proposal changes says nothing of objects that nobody counted",
          "[plugin][check_report_json]") {
  CrdReport crd = test_reports::Widgets();
  const auto print_changes = [&crd] {
    kube::json::Arena arena;
    const CheckReport borrowed = Report({crd});
    const kube::json::Value report = ToJson(borrowed, false, arena);
    const kube::json::Value& printed = report.Find("crds")->elements()[0];
    CHECK((printed.Find("changes") != nullptr) == crd.changes.has_value());
    return printed.Find("changes") ? kube::json::Print(*printed.Find("changes")) : std::string();
  };
  CHECK(print_changes().empty());
  crd.changes.emplace();
  CHECK(print_changes() == "[]");
  crd.changes->changes = {{.version = "v1",
                           .path = "spec.a",
                           .kind = "maximum",
                           .from = "",
                           .to = "<= 3",
                           .breaking = true,
                           .objects = 12}};
  CHECK(
      print_changes() ==
      R"([{"breaking":true,"from":"","kind":"maximum","objects":12,"path":"spec.a","to":"\u003c= 3","version":"v1"}])");
  crd.changes->changes[0].objects.reset();
  CHECK(print_changes().find("objects") == std::string::npos);
  kube::json::Arena arena;
  crd.changes->left_out = 7;
  crd.changes->is_partial = true;
  const CheckReport borrowed = Report({crd});
  const kube::json::Value report = ToJson(borrowed, false, arena);
  const kube::json::Value& printed = report.Find("crds")->elements()[0];
  CHECK(printed.Find("changesLeftOut")->text() == "7");
  CHECK(printed.Find("changesPartial")->AsBool());
}

}  // namespace
}  // namespace plugin::report
