#include "migrate/guard/guarded_crd.h"

#include <algorithm>
#include <utility>

namespace migrate::guard {

namespace {

std::unique_ptr<const check::CrdCheck> MakeCheck(const kube::crd::Crd& live,
                                                 const manifests::Proposal* proposal) {
  using Origin = check::CrdCheckOptions::Origin;
  if (proposal == nullptr) {
    return std::make_unique<const check::CrdCheck>(
        CopyOf(live), "", check::CrdCheckOptions{.origin = Origin::kServer});
  }
  return std::make_unique<const check::CrdCheck>(
      CopyOf(proposal->crd), proposal->source,
      check::CrdCheckOptions{.origin = Origin::kProposal, .replaced = &live});
}

// Until its schema is mended the server refuses to turn pruning on.
bool CanPrune(const check::CrdCheck& check, std::size_t version) {
  const report::VersionReport& report = check.facts().report.versions[version];
  return check.facts().versions[version].is_convertible && report.structural &&
         check.server().FindSchema(report.name) != nullptr;
}

std::vector<std::string> UnusableVersions(const check::CrdCheck& check) {
  std::vector<std::string> names;
  const std::vector<report::VersionReport>& versions = check.facts().report.versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (!CanPrune(check, i)) names.push_back(versions[i].name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

// What requests name is the cluster's, whatever is proposed.
GuardedCrd::GuardedCrd(const kube::crd::Crd& live, const manifests::Proposal* proposal,
                       bool keeps_rules)
    : check_(MakeCheck(live, proposal)),
      rules_(keeps_rules ? std::make_unique<const LiveRules>(live) : nullptr),
      group_(live.group),
      plural_(live.names.plural),
      kind_(live.names.kind),
      uid_(live.uid),
      generation_(live.generation),
      report_{.name = live.name,
              .source = check_->source(),
              .preserve_unknown_fields = live.preserve_unknown_fields,
              .unusable_versions = UnusableVersions(*check_)} {}

std::vector<VersionSchema> GuardedCrd::SchemasOf(std::string_view version) const {
  const report::CrdReport& report = check_->facts().report;
  std::vector<VersionSchema> schemas;
  AddVersion(schemas, version);
  if (!report.converts_by_webhook && version != report.storage_version) {
    AddVersion(schemas, report.storage_version);
  }
  return schemas;
}

void GuardedCrd::AddVersion(std::vector<VersionSchema>& schemas, std::string_view version) const {
  const std::vector<report::VersionReport>& versions = check_->facts().report.versions;
  const auto found = std::ranges::find(versions, version, &report::VersionReport::name);
  if (found == versions.end()) return;
  if (!CanPrune(*check_, static_cast<std::size_t>(found - versions.begin()))) return;
  schemas.push_back({found->name, check_->server().FindSchema(version)});
}

}  // namespace migrate::guard
