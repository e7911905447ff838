#include "migrate/guard/guarded_crd.h"

#include <algorithm>
#include <utility>

#include "migrate/check/apply_effect.h"

namespace migrate::guard {
namespace {

std::unique_ptr<const check::CrdCheck> MakeCheck(const kube::crd::Crd& live,
                                                 const cluster::Proposal* proposal) {
  using Origin = check::CrdCheckOptions::Origin;
  if (proposal == nullptr) {
    return std::make_unique<const check::CrdCheck>(
        kube::crd::CopyCrd(live), "", check::CrdCheckOptions{.origin = Origin::kServer});
  }
  kube::crd::Crd proposed = kube::crd::CopyCrd(proposal->crd);
  check::TakeConversionThatStays(proposed, live);
  return std::make_unique<const check::CrdCheck>(
      std::move(proposed), proposal->source,
      check::CrdCheckOptions{.origin = Origin::kProposal, .replaced = &live});
}

// Until their schemas are mended the server refuses to turn pruning on.
std::vector<std::string> UnusableVersions(const check::CrdCheck& check) {
  std::vector<std::string> names;
  const std::vector<report::VersionReport>& versions = check.facts().report.versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const bool can_prune = check.facts().versions[i].is_convertible && versions[i].structural &&
                           check.server().FindSchema(versions[i].name) != nullptr;
    if (!can_prune) names.push_back(versions[i].name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

// What requests name is the cluster's, whatever is proposed.
GuardedCrd::GuardedCrd(const kube::crd::Crd& live, const cluster::Proposal* proposal,
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

// Where the cluster's CRD prunes, a field that is still there is in its schema.
std::string_view GuardedCrd::WhenRemoved() const {
  if (report_.preserve_unknown_fields) return " will be removed when pruning is turned on";
  return report_.source.empty() ? " is removed" : " will be removed when its new CRD is applied";
}

void GuardedCrd::AddVersion(std::vector<VersionSchema>& schemas, std::string_view version) const {
  const kube::schema::StructuralSchema* schema = check_->server().FindSchema(version);
  if (schema == nullptr || std::ranges::binary_search(report_.unusable_versions, version)) return;
  schemas.push_back({std::string(version), schema});
}

}  // namespace migrate::guard
