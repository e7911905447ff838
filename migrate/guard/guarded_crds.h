#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/crd/crd.h"
#include "migrate/cluster/proposals.h"
#include "migrate/guard/guarded_crd.h"
#include "migrate/report/guard_report.h"

namespace migrate::guard {

/// Which CRDs are to be guarded.
struct GuardSelection {
  /// In any form kubectl knows; empty: those that are proposed, or all, as `all` says.
  std::vector<std::string> names{};
  /// Every CRD of the cluster where something would be lost that is not lost yet: it preserves
  /// unknown fields, or another schema is proposed.
  bool all = false;
  /// Requests are changed, so that it has to be known what they may be (GuardedCrd::rules).
  bool keeps_rules = false;
};

/// The CRDs that are guarded at the moment. What handlers find is immutable, and stays valid for
/// them while it is replaced.
///
/// Find, resources and Report are for several threads at once; the rest is for the one that knows
/// what the cluster has.
class GuardedCrds {
 public:
  using Pointer = std::shared_ptr<const GuardedCrd>;

  /// Throws kube::base::Error where two of `proposals` are of one CRD.
  GuardedCrds(GuardSelection selection, std::vector<cluster::Proposal> proposals);

  /// What is to be guarded of a CRD of the cluster; the null pointer: nothing. Does not change what
  /// is guarded. Where the CRD is as it was it is what is there already. For several threads.
  Pointer Make(const kube::crd::Crd& live) const;

  /// All that is guarded from now on.
  void Replace(std::map<std::string, Pointer> crds);
  /// One CRD is new or has changed: `crd` is what Make gave.
  void Put(const std::string& name, Pointer crd);
  /// One CRD is gone. Not an error if it was not guarded.
  void Remove(const std::string& name) { Put(name, nullptr); }

  /// The CRD of a resource; the null pointer if it is not guarded.
  Pointer Find(std::string_view group, std::string_view plural) const;
  /// What handlers have to be asked about, in all versions; by name of the CRD.
  std::vector<kube::admission::Resource> resources() const;
  /// By name.
  std::vector<report::GuardedUse> Report() const;
  /// Becomes larger with each change of what is guarded.
  std::uint64_t revision() const;

  const GuardSelection& selection() const { return selection_; }
  /// Names of proposed CRDs that are not guarded: the cluster does not have them, or they are not
  /// selected. Sorted.
  std::vector<std::string> UnguardedProposals() const;

 private:
  using Crds = std::map<std::string, Pointer>;  // by name

  bool IsWanted(const kube::crd::Crd& live) const;
  std::shared_ptr<const Crds> crds() const;
  void Swap(Crds crds);

  const GuardSelection selection_;
  std::map<std::string, cluster::Proposal> proposals_;  // by name; not changed
  mutable std::mutex mutex_;                            // guards the next two
  std::shared_ptr<const Crds> crds_ = std::make_shared<const Crds>();
  std::uint64_t revision_ = 0;
};

}  // namespace migrate::guard
