#include "migrate/migration/crd_lease.h"

#include <cstddef>
#include <utility>

#include "kube/client/lease_lock.h"
#include "kube/go/go_time.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/steps.h"

namespace migrate::migration {
namespace {

constexpr char kPrefix[] = "kubectl-prune-";
// Of a DNS subdomain (apimachinery pkg/util/validation).
constexpr std::size_t kLongestLeaseName = 253;

std::string NameWithEnd(const std::string& crd_name, const std::string& end) {
  std::string name = (kPrefix + crd_name).substr(0, kLongestLeaseName - end.size());
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name + end;
}

}  // namespace

std::string NameOfCrd(const std::string& crd_name, const std::string& crd_uid) {
  return NameWithEnd(crd_name, "-" + crd_uid);
}

namespace {

using kube::base::Clock;
using Step = LeaseStart::Step;

// Of another program's Lease, which may last for years: longer nobody waits without being told to.
constexpr std::chrono::minutes kLongestExpiry(5);

bool IsAlive(const LeaseView& first, const LeaseView& now) {
  return first.record.renew_time != now.record.renew_time ||
         first.record.holder_identity != now.record.holder_identity;
}

/// A MicroTime as people read it.
std::string WithoutFraction(const std::string& time) {
  const auto read = kube::go::ParseGoTime(time);
  return read ? kube::go::FormatGoTime(*read) : time;
}

Clock::Duration ToDuration(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<Clock::Duration>(time);
}

}  // namespace

LeaseRequest RequestOf(const LeaseOptions& options, const std::string& crd_name,
                       const std::string& crd_uid, const std::vector<std::string>& earlier) {
  LeaseRequest request{.namespace_ = options.namespace_,
                       .name = NameOfCrd(crd_name, crd_uid),
                       .identity = IdentityOf(options.self),
                       .crd_name = crd_name,
                       .crd_uid = crd_uid};
  const auto own = ReadHolder(request.identity);
  for (const std::string& identity : earlier) {
    const auto holder = ReadHolder(identity);
    if (holder && own && holder->host == own->host) request.predecessors.push_back(identity);
  }
  return request;
}

CrdLease::CrdLease(Leases& leases, LeaseRequest request, std::chrono::nanoseconds wait,
                   const kube::client::Session& session, LogFunction tell)
    : leases_(leases),
      request_(std::move(request)),
      lease_text_(kube::client::LeaseText(request_.namespace_, request_.name)),
      wait_(wait),
      session_(session),
      tell_(std::move(tell)) {}

CrdLease::~CrdLease() { GiveBack(); }

// An answer, or the end of the patience with having none, comes by itself (LeaseTracker).
LeaseStart CrdLease::Take() {
  number_ = leases_.Seek(request_);
  cluster::WhileOthersWork(session_, [this] {
    return cluster::PollUntil(
        Clock::TimePoint::max(), [this] { return Look().standing != LeaseState::kSought; },
        session_);
  });
  const LeaseView view = Look();
  LeaseStart start = view.standing == LeaseState::kOthers ? WaitForOther(view) : StartOf(view);
  is_had_ = start.step == Step::kOurs;
  if (!is_had_) GiveBack();
  return start;
}

LeaseStart CrdLease::WaitForOther(const LeaseView& first) {
  tell_(DescribeOther(first.record) + (wait_ > wait_.zero()
                                           ? "; waiting for it to end"
                                           : "; waiting to see whether it is alive"));
  LeaseView view = first;
  const Clock::TimePoint begin = session_.clock.Now();
  const Clock::TimePoint until =
      begin + (wait_ > wait_.zero() ? ToDuration(wait_) : ToDuration(kLongestExpiry));
  cluster::WhileOthersWork(session_, [&] {
    return cluster::PollUntil(
        until,
        [&] {
          view = Look();
          return IsToEnd(first, view);
        },
        session_);
  });
  LeaseStart start = StartOf(view);
  start.has_waited = true;
  return start;
}

bool CrdLease::IsToEnd(const LeaseView& first, const LeaseView& now) const {
  if (now.standing != LeaseState::kOthers) return now.standing != LeaseState::kSought;
  return wait_ == wait_.zero() && IsAlive(first, now);
}

std::string CrdLease::DescribeOther(const kube::client::LeaseRecord& record) const {
  std::string text = DescribeHolder(record.holder_identity) + " is at work on it";
  if (!record.acquire_time.empty()) text += " since " + WithoutFraction(record.acquire_time);
  return text + ", as " + lease_text_ + " says";
}

LeaseStart CrdLease::StartOf(const LeaseView& view) const {
  switch (view.standing) {
    case LeaseState::kOurs:
    case LeaseState::kDoubtful:  // CheckLease waits for what comes of it
      return {Step::kOurs, "", false};
    case LeaseState::kOthers:
      if (session_.is_stopped()) break;
      return {Step::kHeld,
              DescribeOther(view.record) +
                  "; run the same command again when that has ended, or let it wait by "
                  "--lease-timeout",
              false};
    case LeaseState::kLost:
      return {Step::kHeld, lease_text_ + " was lost: " + view.reason, false};
    case LeaseState::kUnavailable:
      return {Step::kUnknown,
              "another run over the same objects would not be noticed, nor would this one be: " +
                  view.reason,
              false};
    case LeaseState::kSought:
      break;
  }
  return {Step::kInterrupted, "", false};
}

std::optional<std::string> CrdLease::CheckLease() {
  if (loss_ || !is_had_ || !number_) return loss_;
  LeaseView view = Look();
  const auto is_clear = [&] {
    view = Look();
    return view.standing != LeaseState::kDoubtful;
  };
  if (view.standing == LeaseState::kDoubtful) {
    tell_("waiting: " + lease_text_ + " is not renewed: " + view.reason);
    cluster::PollUntil(Clock::TimePoint::max(), is_clear, session_);
  }
  if (view.standing == LeaseState::kLost) {
    loss_ = lease_text_ + ", by which runs know of each other, was lost: " + view.reason;
  }
  return loss_;
}

void CrdLease::GiveBack() {
  if (const auto number = std::exchange(number_, std::nullopt)) leases_.GiveBack(*number);
}

namespace {

// What was found out while another run was at work need not hold any more.
bool PrepareAnew(CrdRun& run, PreparedCrd& prepared) {
  const std::string uid = run.crd.expected().uid;
  run.LeaveState();
  run.state.reset();
  if (!Prepare(run, prepared)) return false;
  if (run.crd.expected().uid != uid) {
    return run.Fail(
        "the CustomResourceDefinition was deleted and made anew; run the same command again");
  }
  run.OpenState(prepared.scope.verify_from);
  run.state->NoteIdentity(IdentityOf(run.options.lease.self));
  return true;
}

}  // namespace

bool TakeLease(CrdRun& run, PreparedCrd& prepared) {
  const LeaseOptions& options = run.options.lease;
  if (run.is_dry_run() || options.leases == nullptr) return true;
  const std::vector<std::string> earlier = run.state->earlier_identities();
  run.state->NoteIdentity(IdentityOf(options.self));
  run.lease.emplace(*options.leases,
                    RequestOf(options, run.name(), run.crd.expected().uid, earlier), options.wait,
                    run.session(),
                    [&run](const std::string& line) { run.Line(run.name() + ": " + line); });
  const LeaseStart start = run.lease->Take();
  switch (start.step) {
    case LeaseStart::Step::kInterrupted:
      return run.GoOn();
    case LeaseStart::Step::kHeld:
      return run.Fail(start.message);
    case LeaseStart::Step::kUnknown:
      run.Line("Warning: " + run.name() + ": " + start.message);
      break;
    case LeaseStart::Step::kOurs:
      break;
  }
  return !start.has_waited || PrepareAnew(run, prepared);
}

}  // namespace migrate::migration
