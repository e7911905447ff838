#include "migrate/migration/lease_keeper.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "migrate/migration/holder.h"

namespace migrate::migration {
namespace {

using kube::base::Clock;
using kube::client::Meaning;

// As long as a CRD that cannot be read is tried again (migrate::check::CrdGuard).
constexpr std::chrono::minutes kPatienceOfHolder(2);
constexpr std::chrono::seconds kPatienceOfSeeker(30);

bool IsFinal(const std::optional<Meaning>& problem) {
  return problem && !kube::client::MayPass(*problem);
}

/// Without an interruption in which somebody else could have held it: who takes a Lease writes
/// both.
bool IsSameLease(const kube::client::LeaseRecord& one, const kube::client::LeaseRecord& other) {
  return one.acquire_time == other.acquire_time && one.lease_transitions == other.lease_transitions;
}

}  // namespace

void LeaseTracker::Look(const Observation& glimpse, Clock::TimePoint now) {
  if (IsOver()) return;
  view_.record = glimpse.record;
  if (glimpse.is_leader) {
    well_at_ = now;
    RecordAsLeader(glimpse);
  } else {
    WasOurs() ? RecordAsDisplaced(glimpse, now) : RecordAsCandidate(glimpse, now);
  }
}

bool LeaseTracker::IsOver() const {
  return view_.standing == LeaseState::kLost || view_.standing == LeaseState::kUnavailable;
}

bool LeaseTracker::IsAnother(const std::string& holder) const {
  return !holder.empty() && holder != identity_ && std::ranges::count(predecessors_, holder) == 0;
}

void LeaseTracker::RecordAsLeader(const Observation& glimpse) {
  if (!acquired_) acquired_ = glimpse.record;
  if (!IsSameLease(*acquired_, glimpse.record)) {
    return End(LeaseState::kLost, "somebody else may have held it for a while");
  }
  view_.standing = LeaseState::kOurs;
  view_.ours_until = glimpse.leader_until;
  view_.reason.clear();
}

// Whom it was seen to be held by is waited for, whatever cannot be seen then; but not where it has
// expired, and may not be taken.
void LeaseTracker::RecordAsCandidate(const Observation& glimpse, Clock::TimePoint now) {
  const bool is_out_of_reach = glimpse.is_free && IsFinal(glimpse.problem);
  if (IsAnother(glimpse.record.holder_identity) && !is_out_of_reach) {
    view_.standing = LeaseState::kOthers;
    return;
  }
  view_.standing = LeaseState::kSought;
  if (!glimpse.problem) {
    well_at_ = now;
  } else if (IsFinal(glimpse.problem) || now >= well_at_ + kPatienceOfSeeker) {
    End(LeaseState::kUnavailable, glimpse.problem_text);
  }
}

void LeaseTracker::RecordAsDisplaced(const Observation& glimpse, Clock::TimePoint now) {
  const std::string& holder = glimpse.record.holder_identity;
  if (holder != identity_) {
    return End(LeaseState::kLost, holder.empty() ? "somebody else has given it back"
                                                 : "it is held by " + DescribeHolder(holder));
  }
  view_.standing = LeaseState::kDoubtful;
  view_.reason = glimpse.problem_text.empty() ? "no answer came" : glimpse.problem_text;
  if (IsFinal(glimpse.problem) || now >= well_at_ + kPatienceOfHolder) {
    End(LeaseState::kLost, "it could not be renewed: " + view_.reason);
  }
}

void LeaseTracker::Break(const std::string& why) {
  if (!IsOver()) End(WasOurs() ? LeaseState::kLost : LeaseState::kUnavailable, why);
}

void LeaseTracker::End(LeaseState standing, std::string why) {
  view_.standing = standing;
  view_.reason = std::move(why);
}

namespace {

constexpr char kCrdApiVersion[] = "apiextensions.k8s.io/v1";
constexpr char kCrdKind[] = "CustomResourceDefinition";

// Calmer than client-go's: a run writes for minutes, and a server that is started again must not
// end it; who follows a dead one waits for no longer than a person would.
kube::client::LeaderElectionOptions ElectionOptionsOf(const LeaseRequest& request,
                                                      const LeaseKeeper::TimeOfDay& now) {
  kube::client::LeaderElectionOptions options{.namespace_ = request.namespace_,
                                              .name = request.name,
                                              .identity = request.identity,
                                              .predecessors = request.predecessors,
                                              .lease_duration = std::chrono::seconds(30),
                                              .renew_deadline = std::chrono::seconds(20),
                                              .retry_period = std::chrono::seconds(5),
                                              .now = now};
  if (!request.crd_uid.empty()) {
    options.owner = {kCrdApiVersion, kCrdKind, request.crd_name, request.crd_uid};
  }
  return options;
}

Observation ObservationOf(const kube::client::LeaderElection& election) {
  return {.is_leader = election.is_leader(),
          .leader_until = election.leader_until(),
          .record = election.observed(),
          .is_free = election.is_free(),
          .problem = election.problem_meaning(),
          .problem_text = election.problem()};
}

}  // namespace

struct LeaseKeeper::Kept {
  Kept(LeaseRequest the_request, kube::base::Clock::TimePoint now)
      : request(std::move(the_request)), tracker(request.identity, request.predecessors, now) {}

  const LeaseRequest request;
  LeaseTracker tracker;
  bool is_given_back = false;
  std::atomic<bool> is_urgent = false;                     // LookNow, not yet taken up
  std::optional<kube::client::LeaderElection> election{};  // made by the thread of the client
};

LeaseKeeper::LeaseKeeper(const kube::client::Session& session, TimeOfDay now)
    : session_(session), now_(std::move(now)) {}

LeaseKeeper::~LeaseKeeper() = default;

Leases::Number LeaseKeeper::Seek(LeaseRequest request) {
  auto kept = std::make_unique<Kept>(std::move(request), session_.clock.Now());
  const std::lock_guard lock(mutex_);
  if (!broken_because_.empty()) kept->tracker.Break(broken_because_);
  kept_.emplace(++last_, std::move(kept));
  session_.client.Wake();
  return last_;
}

LeaseView LeaseKeeper::Look(Number lease) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(lease);
  if (found == kept_.end()) return {};
  LeaseView view = found->second->tracker.view();
  if (view.standing == LeaseState::kOurs && session_.clock.Now() >= view.ours_until) {
    view.standing = LeaseState::kDoubtful;
    view.reason = "it was not renewed in time";
  }
  return view;
}

void LeaseKeeper::LookNow(Number lease) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(lease);
  if (found == kept_.end()) return;
  found->second->is_urgent = true;
  session_.client.Wake();
}

void LeaseKeeper::GiveBack(Number lease) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(lease);
  if (found == kept_.end()) return;
  found->second->is_given_back = true;
  session_.client.Wake();
}

// Nothing is taken out of the map but by the thread that calls this.
std::vector<LeaseKeeper::Kept*> LeaseKeeper::TakeUp() {
  const std::lock_guard lock(mutex_);
  std::vector<Kept*> taken;
  for (const auto& [number, kept] : kept_) {
    if (!kept->is_given_back) taken.push_back(kept.get());
  }
  return taken;
}

void LeaseKeeper::AdvanceOne(Kept& kept) {
  if (!kept.election) {
    kept.election.emplace(ElectionOptionsOf(kept.request, now_), session_,
                          [](const std::string&) {});
  }
  if (kept.is_urgent.exchange(false)) kept.election->LookNow();
  kept.election->Advance();
  const std::lock_guard lock(mutex_);
  kept.tracker.Look(ObservationOf(*kept.election), session_.clock.Now());
}

// What comes to be sought or given back while a server is waited for is taken up at once.
void LeaseKeeper::Advance() {
  do {
    for (Kept* kept : TakeUp()) AdvanceOne(*kept);
  } while (Release(/*all=*/false));
}

std::vector<std::unique_ptr<LeaseKeeper::Kept>> LeaseKeeper::TakeGivenBack(bool all) {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<Kept>> taken;
  for (auto at = kept_.begin(); at != kept_.end();) {
    if (!all && !at->second->is_given_back) {
      ++at;
      continue;
    }
    taken.push_back(std::move(at->second));
    at = kept_.erase(at);
  }
  return taken;
}

// Without the lock: nobody else may have to wait for a server. True if there were any.
bool LeaseKeeper::Release(bool all) {
  const std::vector<std::unique_ptr<Kept>> taken = TakeGivenBack(all);
  for (const std::unique_ptr<Kept>& kept : taken) {
    if (kept->election) kept->election->Release();
  }
  return !taken.empty();
}

void LeaseKeeper::End() { Release(/*all=*/true); }

void LeaseKeeper::Break(const std::string& why) {
  const std::lock_guard lock(mutex_);
  broken_because_ = why;
  for (const auto& [number, kept] : kept_) kept->tracker.Break(why);
}

}  // namespace migrate::migration
