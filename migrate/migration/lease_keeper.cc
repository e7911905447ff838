#include "migrate/migration/lease_keeper.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"

namespace migrate::migration {
namespace {

constexpr std::size_t kMostOfAName = 100;
constexpr std::size_t kMostOfAnIdentity = 253;
constexpr std::size_t kDigits = 16;

std::string PlainName(std::string_view name) {
  std::string plain(name.substr(0, kMostOfAName));
  for (char& c : plain) {
    if (c <= ' ' || c > '~' || c == '@' || c == '/') c = '_';
  }
  return plain.empty() ? "_" : plain;
}

template <typename Number>
std::optional<Number> ReadNumber(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Takes what stands before `separator` from `rest`; absent where that is not there.
std::optional<std::string_view> TakeUpTo(char separator, std::string_view& rest) {
  const std::size_t end = rest.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return taken;
}

}  // namespace

std::string IdentityOf(const Holder& holder) {
  std::array<char, kDigits + 1> number{};
  (void)std::snprintf(number.data(), number.size(), "%016llx",
                      static_cast<unsigned long long>(holder.number));
  return PlainName(holder.user) + "@" + PlainName(holder.host) + "/" +
         std::to_string(holder.process) + "/" + number.data();
}

std::optional<Holder> ReadHolder(std::string_view identity) {
  const auto user = TakeUpTo('@', identity);
  const auto host = TakeUpTo('/', identity);
  const auto process = TakeUpTo('/', identity);
  if (!user || !host || !process || identity.size() != kDigits) return std::nullopt;
  if (PlainName(*user) != *user || PlainName(*host) != *host) return std::nullopt;
  const auto process_number = ReadNumber<std::int64_t>(*process, 10);
  const auto number = ReadNumber<std::uint64_t>(identity, 16);
  if (!process_number || !number) return std::nullopt;
  return Holder{std::string(*user), std::string(*host), *process_number, *number};
}

std::string DescribeHolder(std::string_view identity) {
  const auto holder = ReadHolder(identity);
  if (!holder) {
    return kube::go::GoQuote(kube::base::utf8::Shortened(std::string(identity), kMostOfAnIdentity));
  }
  return holder->user + "@" + holder->host + " (process " + std::to_string(holder->process) + ")";
}

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
  std::optional<kube::client::LeaderElection> election{};  // made by the thread of the client
};

LeaseKeeper::LeaseKeeper(const kube::client::Session& session, TimeOfDay now)
    : session_(session), now_(std::move(now)) {}

LeaseKeeper::~LeaseKeeper() = default;

Leases::Number LeaseKeeper::Seek(LeaseRequest request) {
  auto kept = std::make_unique<Kept>(std::move(request), session_.clock.Now());
  const kube::base::MutexLock lock(mutex_);
  if (!broken_because_.empty()) kept->tracker.Break(broken_because_);
  kept_.emplace(++last_, std::move(kept));
  session_.client.Wake();
  return last_;
}

LeaseView LeaseKeeper::Look(Number lease) {
  const kube::base::MutexLock lock(mutex_);
  const auto found = kept_.find(lease);
  if (found == kept_.end()) return {};
  LeaseView view = found->second->tracker.view();
  if (view.standing == LeaseState::kOurs && session_.clock.Now() >= view.ours_until) {
    view.standing = LeaseState::kDoubtful;
    view.reason = "it was not renewed in time";
  }
  return view;
}

void LeaseKeeper::GiveBack(Number lease) {
  const kube::base::MutexLock lock(mutex_);
  const auto found = kept_.find(lease);
  if (found == kept_.end()) return;
  found->second->is_given_back = true;
  session_.client.Wake();
}

// Nothing is taken out of the map but by the thread that calls this.
std::vector<LeaseKeeper::Kept*> LeaseKeeper::TakeUp() {
  const kube::base::MutexLock lock(mutex_);
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
  kept.election->Advance();
  const kube::base::MutexLock lock(mutex_);
  kept.tracker.Look(ObservationOf(*kept.election), session_.clock.Now());
}

// What comes to be sought or given back while a server is waited for is taken up at once.
void LeaseKeeper::Advance() {
  do {
    for (Kept* kept : TakeUp()) AdvanceOne(*kept);
  } while (Release(/*all=*/false));
}

std::vector<std::unique_ptr<LeaseKeeper::Kept>> LeaseKeeper::TakeGivenBack(bool all) {
  const kube::base::MutexLock lock(mutex_);
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
  const kube::base::MutexLock lock(mutex_);
  broken_because_ = why;
  for (const auto& [number, kept] : kept_) kept->tracker.Break(why);
}

}  // namespace migrate::migration
