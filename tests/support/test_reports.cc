#include "tests/support/test_reports.h"

#include <utility>

namespace test_reports {

using migrate::report::CrdReport;
using migrate::report::FieldUse;
using migrate::report::Verdict;
using migrate::report::VersionReport;

namespace {

CrdReport Crd(const std::string& name, const std::string& group, const std::string& kind) {
  CrdReport crd;
  crd.name = name;
  crd.group = group;
  crd.kind = kind;
  crd.scope = "Namespaced";
  crd.storage_version = "v1";
  crd.served_versions = crd.stored_versions = {"v1"};
  return crd;
}

VersionReport Version(const std::string& name, bool storage, std::uint64_t objects) {
  VersionReport version;
  version.name = name;
  version.served = true;
  version.storage = storage;
  version.structural = true;
  version.objects = objects;
  return version;
}

}  // namespace

CrdReport Certificates() {
  CrdReport crd = Crd("certificates.cert-manager.io", "cert-manager.io", "Certificate");
  crd.verdict = Verdict::kPruning;
  crd.objects_skipped = true;
  crd.versions = {Version("v1", true, 0)};
  crd.versions[0].objects.reset();
  return crd;
}

CrdReport Gizmos() {
  CrdReport crd = Crd("gizmos.demo.example.com", "demo.example.com", "Gizmo");
  crd.verdict = Verdict::kBlocked;
  crd.preserve_unknown_fields = true;
  crd.object_count = 12;
  crd.versions = {Version("v1", true, 0)};
  crd.versions[0].structural = false;
  crd.versions[0].objects.reset();
  const std::string field = "spec.versions[0].schema.openAPIV3Schema.properties[spec].type";
  crd.problems = {{"v1", field,
                   field + ": Required value: must not be empty for specified object fields",
                   "give spec a type, as a rule \"type: object\""}};
  crd.condition = {"True", "Violations", crd.problems[0].message};
  return crd;
}

CrdReport Widgets() {
  CrdReport crd = Crd("widgets.demo.example.com", "demo.example.com", "Widget");
  crd.verdict = Verdict::kLosesFields;
  crd.preserve_unknown_fields = true;
  crd.migration_needed = true;
  crd.served_versions = {"v1", "v1beta1"};
  crd.stored_versions = {"v1beta1", "v1"};
  crd.object_count = 2000;
  crd.objects_losing_fields = 1874;
  crd.versions = {Version("v1", true, 2000), Version("v1beta1", false, 2000)};
  const FieldUse legacy = {.path = "spec.legacyMode",
                           .objects = 1874,
                           .types = {"boolean"},
                           .managers = {"helm", "old-operator"},
                           .last_written = "2026-11-21T02:56:00Z",
                           .examples = {"default/w000000", "default/w000001"}};
  const FieldUse proto = {.path = "spec.ports[*].proto",
                          .objects = 12,
                          .types = {"string"},
                          .managers = {"kubectl-edit"},
                          .last_written = "2025-10-05T03:00:00Z",
                          .examples = {"shop/w000310"}};
  crd.versions[0].objects_losing_fields = 1874;
  crd.versions[0].pruned_fields = {legacy, proto};
  crd.versions[1].objects_losing_fields = 1874;
  crd.versions[1].pruned_fields = {legacy};
  return crd;
}

CrdReport Gadgets() {
  CrdReport crd = Crd("gadgets.demo.example.com", "demo.example.com", "Gadget");
  crd.verdict = Verdict::kReady;
  crd.preserve_unknown_fields = true;
  crd.object_count = 7;
  crd.versions = {Version("v1", true, 7)};
  return crd;
}

migrate::report::CheckReport Report(std::vector<CrdReport> crds) {
  migrate::report::CheckReport report;
  report.crds = std::move(crds);
  return report;
}

FieldUse Use(const std::string& path, std::uint64_t objects) {
  FieldUse use;
  use.path = path;
  use.objects = objects;
  return use;
}

CrdReport Named(CrdReport crd, const std::string& name) {
  crd.name = name;
  return crd;
}

}  // namespace test_reports
