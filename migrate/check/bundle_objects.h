#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "migrate/check/live_crd.h"
#include "migrate/cluster/proposals.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// What the proposed CRDs make of the custom resources that are in the same files.
struct BundleObjects {
  /// By the place of the proposal among those for its CRD: one for each of LiveCrd::manifests.
  using OfCrd = std::vector<report::FileObjectsReport>;

  std::map<std::string, OfCrd> crds{};  ///< by name; of those with objects alone
  std::uint64_t without_crd = 0;        ///< custom resources that none of the files' CRDs is for
};

/// The kinds of all CRDs in the files, as "Kind.group".
std::set<std::string> KindsOf(const cluster::Proposals& proposals);

/// Holds the custom resources of a bundle against its CRDs, as a check of files does, but as
/// objects that are created: those with duplicates in lists are refused, too (an update may keep
/// what is there already, which `tolerated` says). `kinds` are KindsOf the bundle: of those that
/// `crds` lack, as they were not chosen, nothing is said. `release`: as ServerRules have it.
BundleObjects CheckBundleObjects(const std::vector<cluster::ProposedObject>& objects,
                                 const std::map<std::string, LiveCrd>& crds,
                                 const std::set<std::string>& kinds,
                                 const std::optional<kube::base::Release>& release);

}  // namespace migrate::check
