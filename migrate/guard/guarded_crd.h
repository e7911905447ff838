#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "migrate/check/crd_check.h"
#include "migrate/cluster/proposals.h"
#include "migrate/guard/live_rules.h"
#include "migrate/guard/request_loss.h"
#include "migrate/report/guard_report.h"

namespace migrate::guard {

/// A CRD whose requests are looked at, with the schemas that they are held against: those that the
/// cluster has, or those of a proposal. Immutable, for several threads.
class GuardedCrd {
 public:
  /// `live` is the cluster's; `proposal` may be the null pointer. Neither is needed afterwards.
  /// Has rules() where `keeps_rules`. Throws kube::base::Error where the CRD cannot be copied, as
  /// it never should be.
  GuardedCrd(const kube::crd::Crd& live, const cluster::Proposal* proposal,
             bool keeps_rules = false);

  const std::string& name() const { return report_.name; }
  const std::string& group() const { return group_; }
  const std::string& plural() const { return plural_; }
  const std::string& kind() const { return kind_; }
  /// Tells one state of the CRD from another: its schemas are the same where these are.
  const std::string& uid() const { return uid_; }
  std::int64_t generation() const { return generation_; }
  const report::GuardedUse& report() const { return report_; }

  /// By these a request that is written in `version` is pruned in turn, once pruning is on: by that
  /// version's, and by the storage version's, unless a webhook converts to it. One by which nothing
  /// can be pruned (the server does not turn pruning on without a structural schema) is left out,
  /// and so is `version` where a proposal has it no more.
  std::vector<VersionSchema> SchemasOf(std::string_view version) const;

  /// When what its schemas lack is removed, as LossText() has it.
  std::string_view WhenRemoved() const;

  /// The null pointer unless they were asked for.
  const LiveRules* rules() const { return rules_.get(); }

 private:
  void AddVersion(std::vector<VersionSchema>& schemas, std::string_view version) const;

  std::unique_ptr<const check::CrdCheck> check_;
  std::unique_ptr<const LiveRules> rules_;  // or the null pointer
  std::string group_, plural_, kind_, uid_;
  std::int64_t generation_;
  report::GuardedUse report_;
};

}  // namespace migrate::guard
