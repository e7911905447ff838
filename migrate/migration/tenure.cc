#include "migrate/migration/tenure.h"

#include <algorithm>
#include <chrono>
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
bool IsSameTenure(const kube::client::LeaseRecord& one, const kube::client::LeaseRecord& other) {
  return one.acquire_time == other.acquire_time && one.lease_transitions == other.lease_transitions;
}

}  // namespace

void Tenure::Look(const Glimpse& glimpse, Clock::TimePoint now) {
  if (IsOver()) return;
  view_.record = glimpse.record;
  if (glimpse.is_leader) {
    well_at_ = now;
    TakeAsLeader(glimpse);
  } else {
    WasOurs() ? TakeAsDisplaced(glimpse, now) : TakeAsCandidate(glimpse, now);
  }
}

bool Tenure::IsOver() const {
  return view_.standing == Standing::kLost || view_.standing == Standing::kUnavailable;
}

bool Tenure::IsAnother(const std::string& holder) const {
  return !holder.empty() && holder != identity_ && std::ranges::count(predecessors_, holder) == 0;
}

void Tenure::TakeAsLeader(const Glimpse& glimpse) {
  if (!acquired_) acquired_ = glimpse.record;
  if (!IsSameTenure(*acquired_, glimpse.record)) {
    return End(Standing::kLost, "somebody else may have held it for a while");
  }
  view_.standing = Standing::kOurs;
  view_.ours_until = glimpse.leader_until;
  view_.reason.clear();
}

// Whom it was seen to be held by is waited for, whatever cannot be seen then; but not where it has
// expired, and may not be taken.
void Tenure::TakeAsCandidate(const Glimpse& glimpse, Clock::TimePoint now) {
  const bool is_out_of_reach = glimpse.is_free && IsFinal(glimpse.problem);
  if (IsAnother(glimpse.record.holder_identity) && !is_out_of_reach) {
    view_.standing = Standing::kOthers;
    return;
  }
  view_.standing = Standing::kSought;
  if (!glimpse.problem) {
    well_at_ = now;
  } else if (IsFinal(glimpse.problem) || now >= well_at_ + kPatienceOfSeeker) {
    End(Standing::kUnavailable, glimpse.problem_text);
  }
}

void Tenure::TakeAsDisplaced(const Glimpse& glimpse, Clock::TimePoint now) {
  const std::string& holder = glimpse.record.holder_identity;
  if (holder != identity_) {
    return End(Standing::kLost, holder.empty() ? "somebody else has given it back"
                                               : "it is held by " + DescribeHolder(holder));
  }
  view_.standing = Standing::kDoubtful;
  view_.reason = glimpse.problem_text.empty() ? "no answer came" : glimpse.problem_text;
  if (IsFinal(glimpse.problem) || now >= well_at_ + kPatienceOfHolder) {
    End(Standing::kLost, "it could not be renewed: " + view_.reason);
  }
}

void Tenure::Break(const std::string& why) {
  if (!IsOver()) End(WasOurs() ? Standing::kLost : Standing::kUnavailable, why);
}

void Tenure::End(Standing standing, std::string why) {
  view_.standing = standing;
  view_.reason = std::move(why);
}

}  // namespace migrate::migration
