#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "migrate/check/object_mutation.h"
#include "migrate/guard/guarded_crds.h"
#include "migrate/guard/request_loss.h"
#include "migrate/guard/writer_tally.h"
#include "migrate/report/check_report.h"

namespace migrate::guard {

/// Tells people how a guard fares, each thing once: which CRDs are guarded, and which no longer
/// are; what nothing can be foretold of; whether the API server asks, which nobody else can tell;
/// that the report has no place for all. For one thread.
class GuardNews {
 public:
  /// Takes a line, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// What it is given must outlive it.
  GuardNews(const GuardedCrds& crds, const WriterTally& tally, const kube::base::Clock& clock,
            LogFunction tell);

  /// To be called once it is known what the cluster has.
  void Begin();
  /// To be called several times a second from then on.
  void Advance();

 private:
  void ReportCrds();
  void ReportCrd(const report::GuardedUse& crd);
  void ReportAsking();

  const GuardedCrds& crds_;
  const WriterTally& tally_;
  const kube::base::Clock& clock_;
  const LogFunction tell_;
  bool has_begun_ = false;
  std::uint64_t revision_ = 0;  // of what was told last
  std::map<std::string, report::GuardedUse> told_crds_;
  kube::base::Clock::TimePoint asking_due_{};
  bool is_asking_told_ = false, is_left_out_told_ = false;
};

/// What is done about a request that brings fields which pruning would remove.
enum class GuardAction : std::uint8_t { kWarn, kDeny };

struct GuardOptions {
  GuardAction action = GuardAction::kWarn;
  /// Is applied to what is created or changed; the null pointer: nothing is.
  std::shared_ptr<const check::ObjectMutation> mutation{};
  /// Whom to ask, told behind the warnings and refusals; empty: nobody.
  std::string contact{};
  std::function<TimePoint()> now = std::chrono::system_clock::now;
  /// Takes a line when somebody is first seen to write a path; called by several threads at once.
  /// Names in it may hold anything. May be empty.
  std::function<void(const std::string&)> tell{};
};

/// The time between the check and the write that turns pruning on: fields are still being written
/// that will vanish, and a CRD that preserves unknown fields has no field validation that would say
/// so. The guard does, by handlers:
///
///     guard     validates: warns of fields that pruning would remove, or refuses the request
///     mutate    with a mutation only: what a mutation tree makes of the object
///
/// Where a CRD is proposed it warns of what that one's schema and rules would refuse, too.
///
/// What passes, whatever the action:
///
/// - A request that stores what is stored already: the rewrites of a migration, ours or another's.
///   Nothing is said of it either.
/// - Fields that the old object had: see FindRequestLoss. There is a warning.
/// - Requests to subresources, and of objects that are being deleted, whose finalizers have to go.
///   There is a warning.
/// - Whatever is of a resource that is not guarded.
///
/// The mutated writes of `migrate --mutation` are changes like others and known by nothing that
/// somebody else could not say: a webhook sees neither the client's User-Agent nor a secret of
/// ours. So they pass by the rules above, and where a tree of theirs brings what pruning would
/// remove they are denied as others are; all that rests on their field manager is that they are
/// not counted, warned of or mutated once more.
///
/// A mutation may only help: where it would bring fields that pruning would remove, or values that
/// the API server refuses though it takes those that were sent, the object stays as it is, and
/// there is a warning.
///
/// Requests pass where the guard cannot be reached, after three seconds at most (failurePolicy
/// Ignore). Of a dry run nothing is counted, as nothing is written.
class Guard {
 public:
  /// `guarded` and `tally` must outlive it, and it the handlers.
  Guard(const GuardedCrds& guarded, WriterTally& tally, GuardOptions options)
      : guarded_(guarded), tally_(tally), options_(std::move(options)), since_(options_.now()) {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// For an endpoint: handlers of any resource, which look up what is guarded with each request.
  kube::admission::Handlers ServedHandlers() const;
  /// For configurations: the same handlers, of the resources that are guarded now. None where none
  /// is.
  kube::admission::Handlers ConfiguredHandlers() const;

  /// The handlers' functions.
  kube::admission::Verdict Check(const kube::admission::Review& review,
                                 kube::admission::Reply& reply) const;
  kube::admission::Verdict Change(const kube::admission::Review& review,
                                  kube::admission::Reply& reply,
                                  kube::admission::ObjectDraft& draft) const;

  /// All that is known; without the facts of the run.
  report::GuardReport Report() const;

 private:
  kube::admission::Handlers HandlersOf(
      const std::vector<kube::admission::Resource>& resources) const;
  void Warn(const GuardedCrd& crd, const RequestLoss& loss, kube::admission::Reply& reply) const;
  void WarnOfRefusals(const kube::admission::Review& review, const GuardedCrd& crd,
                      kube::admission::Reply& reply) const;
  std::string Reasons(const GuardedCrd& crd, const RequestLoss& loss) const;
  GuardedCrds::Pointer FindCrd(const kube::admission::Review& review) const;
  void Note(const kube::admission::Review& review, const GuardedCrd& crd, const Writer& writer,
            const LostField& field, LossOutcome outcome) const;
  void NoteLoss(const kube::admission::Review& review, const GuardedCrd& crd, const Writer& writer,
                const RequestLoss& loss, bool is_denied) const;
  void NoteMoved(const kube::admission::Review& review, const GuardedCrd& crd, const Writer& writer,
                 const RequestLoss& before, const RequestLoss& after) const;

  const GuardedCrds& guarded_;
  WriterTally& tally_;
  const GuardOptions options_;
  const TimePoint since_;
};

}  // namespace migrate::guard
