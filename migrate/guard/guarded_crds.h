#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/structural.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/object_schemas.h"
#include "migrate/cluster/object_watch.h"
#include "migrate/cluster/proposals.h"
#include "migrate/guard/request_loss.h"
#include "migrate/report/check_report.h"

namespace migrate::guard {

/// A CRD whose requests are looked at, with the schemas that they are held against: those that the
/// cluster has, or those of a proposal. Immutable, for several threads.
class GuardedCrd {
 public:
  /// `live` is the cluster's; `proposal` may be the null pointer. Neither is needed afterwards.
  /// Has live_schemas() where `keeps_schemas`. Throws kube::base::Error where the CRD cannot be
  /// copied, as it never should be.
  GuardedCrd(const kube::crd::Crd& live, const cluster::Proposal* proposal,
             bool keeps_schemas = false);

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

  /// Those that the cluster has now. The null pointer unless they were asked for.
  const check::ObjectSchemas* live_schemas() const { return live_schemas_.get(); }
  /// Those of the proposal. The null pointer where there is none.
  const check::ObjectSchemas* proposed_schemas() const { return proposed_schemas_.get(); }

 private:
  void AddVersion(std::vector<VersionSchema>& schemas, std::string_view version) const;

  std::unique_ptr<const check::CrdCheck> check_;
  std::unique_ptr<const check::ObjectSchemas> live_schemas_,
      proposed_schemas_;  // or the null pointer
  std::string group_, plural_, kind_, uid_;
  std::int64_t generation_;
  report::GuardedUse report_;
};

/// Which CRDs are to be guarded.
struct GuardSelection {
  /// In any form kubectl knows; empty: those that are proposed, or all, as `all` says.
  std::vector<std::string> names{};
  /// Every CRD of the cluster where something would be lost that is not lost yet: it preserves
  /// unknown fields, or another schema is proposed.
  bool all = false;
  /// Requests are changed, so that it has to be known what they may be
  /// (GuardedCrd::live_schemas).
  bool keeps_schemas = false;
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

/// Keeps what is guarded as the cluster has it: lists the CRDs, and watches them from then on.
///
/// Needs the rights to list and to watch CRDs. For one thread, which lets the client poll.
class CrdWatch {
 public:
  /// Takes a line for people, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// `target` is that of the CRDs (check::FindCrdsTarget). `guarded`, and what `session` refers to,
  /// must outlive it.
  CrdWatch(GuardedCrds& guarded, std::string target, const kube::client::Session& session,
           LogFunction tell);

  /// Reads the CRDs for the first time. False: the session was stopped meanwhile. Throws
  /// kube::base::Error where they cannot be listed, and for a name of the selection that no CRD, or
  /// more than one, answers to.
  bool Begin();

  /// To be called several times a second. Where the watch has ended the CRDs are listed again, if
  /// need be every few seconds, and what was guarded stays so meanwhile: somebody is told once, and
  /// once it is over.
  void Advance() { watch_.Advance(); }

 private:
  class Taker;
  void HandleList();
  void HandleEvent(cluster::WatchEventType type, const kube::json::Value& object);

  GuardedCrds& guarded_;
  const std::string api_version_;  // of the CRDs of the list
  const kube::client::Session session_;
  const LogFunction tell_;
  std::shared_ptr<Taker> taker_;
  cluster::ListWatch watch_;
  bool has_begun_ = false;
};

}  // namespace migrate::guard
