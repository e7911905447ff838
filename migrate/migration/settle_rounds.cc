#include "migrate/migration/settle_rounds.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace migrate::migration {
namespace {

constexpr std::size_t kObjects = 5;
constexpr std::chrono::milliseconds kBetweenRounds(500);

}  // namespace

SettleRounds::SettleRounds(std::vector<rewrite::DoomedObject> doomed,
                           kube::base::Clock::TimePoint now, kube::base::Clock::Duration timeout)
    : doomed_(doomed.begin(), doomed.end()), due_(now), deadline_(now + timeout) {
  if (doomed_.empty()) step_ = Step::kNoneLeft;
}

std::vector<const rewrite::DoomedObject*> SettleRounds::objects() const {
  std::vector<const rewrite::DoomedObject*> objects;
  for (std::size_t i = 0; i < std::min(doomed_.size(), kObjects); ++i) {
    objects.push_back(&doomed_[i]);
  }
  return objects;
}

void SettleRounds::OnRound(const std::vector<Seen>& seen, kube::base::Clock::TimePoint now) {
  assert(seen.size() <= doomed_.size());
  const bool all_pruned = std::ranges::all_of(seen, [](Seen one) { return one == Seen::kPruned; });
  rounds_ = all_pruned ? rounds_ + 1 : 0;
  for (std::size_t i = seen.size(); i-- > 0;) {
    if (seen[i] == Seen::kUnfit) doomed_.erase(doomed_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  due_ = now + kBetweenRounds;
  if (rounds_ == kRounds) {
    step_ = Step::kDone;
  } else if (doomed_.empty()) {
    step_ = Step::kNoneLeft;
  } else if (due_ >= deadline_) {
    step_ = Step::kTimedOut;
  }
}

}  // namespace migrate::migration
