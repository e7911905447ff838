#include "migrate/guard/guarded_crd.h"

#include <algorithm>
#include <utility>

#include "kube/base/error.h"

namespace migrate::guard {
namespace {

kube::crd::Crd CopyOf(const kube::crd::Crd& crd) {
  auto copy = kube::crd::ReadCopiedCrd(crd.document->root());
  if (!copy) throw kube::base::Error(crd.name + ": " + copy.error());
  return *std::move(copy);
}

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

std::vector<std::string> UnusableVersions(const check::CrdFacts& facts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < facts.versions.size(); ++i) {
    if (!facts.versions[i].is_convertible) names.push_back(facts.report.versions[i].name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

// What requests name is the cluster's, whatever is proposed.
GuardedCrd::GuardedCrd(const kube::crd::Crd& live, const manifests::Proposal* proposal)
    : check_(MakeCheck(live, proposal)),
      group_(live.group),
      plural_(live.names.plural),
      kind_(live.names.kind),
      uid_(live.uid),
      generation_(live.generation),
      report_{.name = live.name,
              .source = check_->source(),
              .preserve_unknown_fields = live.preserve_unknown_fields,
              .unusable_versions = UnusableVersions(check_->facts())} {}

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
  const check::CrdFacts& facts = check_->facts();
  const auto found =
      std::ranges::find(facts.report.versions, version, &report::VersionReport::name);
  if (found == facts.report.versions.end()) return;
  const auto index = static_cast<std::size_t>(found - facts.report.versions.begin());
  if (!facts.versions[index].is_convertible) return;
  schemas.push_back({found->name, check_->server().FindSchema(version)});
}

}  // namespace migrate::guard
