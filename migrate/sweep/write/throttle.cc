#include "migrate/sweep/write/throttle.h"

#include <algorithm>

namespace migrate::sweep::write {
namespace {

constexpr double kFirstLimit = 4;
constexpr double kSlowestRate = 1e-6;  // keeps the arithmetic with clocks far from its limits
// More requests at once wait for each other in a busy server: only what is far above the usual
// counts. A few milliseconds mean nothing.
constexpr double kJumpFactor = 4;
constexpr double kJumpSeconds = 0.05;
constexpr double kRecentWeight = 1.0 / 8;
// The base goes down at once, as a server is not fast by chance, and up so slowly that a jump is
// seen; a server that stays slow is the usual one after some hundred answers.
constexpr double kBaseWeight = 1.0 / 256;

kube::system::Clock::Duration Interval(double max_rate) {
  if (max_rate <= 0) return {};
  return std::chrono::duration_cast<kube::system::Clock::Duration>(
      std::chrono::duration<double>(1 / std::max(max_rate, kSlowestRate)));
}

}  // namespace

Throttle::Throttle(std::size_t most, double max_rate)
    : most_(static_cast<double>(std::max<std::size_t>(most, 1))),
      interval_(Interval(max_rate)),
      limit_(std::min(kFirstLimit, most_)) {}

bool Throttle::MayStart(Clock::TimePoint now, std::size_t in_flight) const {
  return in_flight < limit() && now >= next_start();
}

std::size_t Throttle::limit() const {
  const auto own = static_cast<std::size_t>(limit_);
  return pace_ == nullptr ? own : std::min(own, pace_->most_in_flight());
}

Throttle::Clock::TimePoint Throttle::next_start() const {
  const Clock::TimePoint own = std::max(held_until_, next_by_rate_);
  return pace_ == nullptr ? own : std::max(own, pace_->next_start());
}

void Throttle::OnStart(Clock::TimePoint now, std::size_t in_flight) {
  if (pace_ != nullptr) pace_->OnStart(in_flight);
  if (in_flight >= static_cast<std::size_t>(limit_)) is_used_ = true;
  // What is due a little late does not lower the rate, as turns come when something happens.
  constexpr std::chrono::milliseconds kLate{100};
  if (interval_ > Clock::Duration::zero()) {
    next_by_rate_ =
        std::max(next_by_rate_, now - std::min<Clock::Duration>(kLate, interval_)) + interval_;
  }
}

void Throttle::OnAnswer(Clock::TimePoint sent, Clock::TimePoint now, bool is_slowdown) {
  const bool jumped = !is_slowdown && TakeLatency(now - sent);
  if (!is_slowdown && !jumped) return Grow();
  // What was sent before the last slowdown belongs to it.
  if (sent >= halved_at_) Halve(now);
}

void Throttle::HoldUntil(Clock::TimePoint then) { held_until_ = std::max(held_until_, then); }

bool Throttle::TakeLatency(Clock::Duration latency) {
  const double seconds = std::chrono::duration<double>(latency).count();
  if (!knows_latency_) recent_latency_ = base_latency_ = seconds;
  knows_latency_ = true;
  recent_latency_ += (seconds - recent_latency_) * kRecentWeight;
  base_latency_ += (recent_latency_ - base_latency_) * kBaseWeight;
  base_latency_ = std::min(base_latency_, recent_latency_);
  return recent_latency_ > std::max(base_latency_ * kJumpFactor, base_latency_ + kJumpSeconds);
}

void Throttle::Halve(Clock::TimePoint now) {
  const auto used = static_cast<std::size_t>(limit_);
  const auto most = pace_ == nullptr ? used : std::min(used, pace_->most_at_work());
  limit_ = std::max(1.0, static_cast<double>(most) / 2);
  is_doubling_ = false;
  is_used_ = false;
  halved_at_ = now;
}

void Throttle::Grow() {
  // Where less is asked than may be, nothing is learned of what the server can take.
  if (!is_used_) return;
  limit_ = std::min(most_, limit_ + (is_doubling_ ? 1 : 1 / limit_));
}

}  // namespace migrate::sweep::write
