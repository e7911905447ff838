#include "migrate/rewrite/throttle.h"

#include <algorithm>
#include <cmath>

namespace migrate::rewrite {
namespace {

// Of one request more, and of one less.
constexpr double kWorthwhileGain = 1.10, kBearableLoss = 0.95;
// More than 10 % cannot be gained by one more beside ten: this part of what could be is enough.
constexpr double kPartOfPossible = 0.8;
// Answers in a window, and a round trip has so many for each in flight.
constexpr std::size_t kFirstWindow = 24, kWindow = 48, kRoundTrips = 4;
// Of a server that answers slowly so many are enough: a webhook that it waits for, as a rule.
constexpr std::size_t kFewestInWindow = 4;
constexpr std::chrono::milliseconds kLongWindow{500};
// Each limit of a trial is measured so often, by turns, as a server is faster at one moment than at
// another.
constexpr int kTurns = 2;
constexpr std::size_t kLongestRest = 1024;
constexpr std::chrono::seconds kLongestRestTime{5};
// A single answer that takes far longer than others says nothing of the limit.
constexpr double kMostOfMedian = 4;

// More requests at once wait for each other in a busy server: only what is far above the usual
// counts. A few milliseconds mean nothing.
constexpr double kJumpFactor = 4;
constexpr double kJumpSeconds = 0.05;
constexpr double kRecentWeight = 1.0 / 8;
// The base goes down at once, as a server is not fast by chance, and up so slowly that a jump is
// seen; a server that stays slow is the usual one after some hundred answers.
constexpr double kBaseWeight = 1.0 / 256;

constexpr double kSlowestRate = 1e-6;  // keeps the arithmetic with clocks far from its limits
// What one answer has all wait for at most. A server that needs longer says so again.
constexpr std::chrono::seconds kLongestHold{60};
// Fewer in a row may be about their own objects alone, as a webhook's answers are.
constexpr std::size_t kFewestRefused = 3;

kube::base::Clock::Duration Interval(double max_rate) {
  if (max_rate <= 0) return {};
  return std::chrono::duration_cast<kube::base::Clock::Duration>(
      std::chrono::duration<double>(1 / std::max(max_rate, kSlowestRate)));
}

/// The mean, with each latency capped at a few medians.
double TypicalOf(std::vector<double>& latencies) {
  const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  const double most = *middle * kMostOfMedian;
  double sum = 0;
  for (const double latency : latencies) sum += std::min(latency, most);
  return sum / static_cast<double>(latencies.size());
}

}  // namespace

bool JumpDetector::Add(double seconds) {
  if (!has_some_) recent_ = base_ = seconds;
  has_some_ = true;
  recent_ += (seconds - recent_) * kRecentWeight;
  base_ += (recent_ - base_) * kBaseWeight;
  base_ = std::min(base_, recent_);
  return recent_ > std::max(base_ * kJumpFactor, base_ + kJumpSeconds);
}

bool ConcurrencySearch::OnAnswer(Clock::TimePoint sent, Clock::TimePoint now) {
  if (peak_ > 0) ++(peak_ >= limit() ? full_ : not_full_);
  peak_ = 0;
  const double latency = std::chrono::duration<double>(now - sent).count();
  if (jumps_.Add(latency)) return true;
  if (rest_ > 0) {
    if (--rest_ == 0 || now >= rest_end_) BeginTrial(now);
    return false;
  }
  // What was sent before had other requests beside it.
  if (sent < began_at_) return false;
  if (latencies_.empty() && began_at_ == Clock::TimePoint::min()) began_at_ = sent;
  latencies_.push_back(latency);
  if (IsWindowFull(now)) EndWindow(now);
  return false;
}

std::size_t ConcurrencySearch::WindowSize() const {
  return std::max(is_climbing_ ? kFirstWindow : kWindow, kRoundTrips * limit());
}

bool ConcurrencySearch::IsWindowFull(Clock::TimePoint now) const {
  if (latencies_.size() >= WindowSize()) return true;
  return now - began_at_ >= kLongWindow && latencies_.size() >= std::max(kFewestInWindow, limit());
}

void ConcurrencySearch::EndWindow(Clock::TimePoint now) {
  const double latency = TypicalOf(latencies_);
  // Without a request for each place, or in no time, nothing is learned.
  if (full_ < not_full_ || latency <= 0) {
    Rest(now);
    return SetTrying(false, now);
  }
  (is_trying_ ? tried_ : base_).Add(latency);
  if (is_trying_ && tried_.windows == (is_climbing_ ? 1 : kTurns)) return EndTrial(now);
  if (is_climbing_) TryUp();
  SetTrying(!is_trying_, now);
}

void ConcurrencySearch::EndTrial(Clock::TimePoint now) {
  const bool is_better = IsWorthIt();
  if (is_better) {
    level_ = candidate_;
    next_rest_ = kShortestRest;
  }
  if (is_climbing_ && is_better && level_ < most_) {
    base_ = tried_;
    tried_ = {};
    TryUp();
    return SetTrying(true, now);
  }
  if (is_climbing_) {
    // Windows were short: it looks once more.
    is_climbing_ = false;
  } else if (!is_better) {
    direction_ = direction_ == Direction::kUp ? Direction::kDown : Direction::kUp;
    Rest(now);
  }
  SetTrying(false, now);
  if (rest_ == 0) BeginTrial(now);
}

bool ConcurrencySearch::IsWorthIt() const {
  const double gain = tried_.RateAt(candidate_) / base_.RateAt(level_);
  const auto from = static_cast<double>(level_), to = static_cast<double>(candidate_);
  if (candidate_ < level_) return gain > std::pow(kBearableLoss, from - to);
  const double possible = 1 + kPartOfPossible * (to - from) / from;
  return gain > std::min(std::pow(kWorthwhileGain, to - from), possible);
}

void ConcurrencySearch::TryUp() {
  candidate_ = std::min(most_, level_ + std::max<std::size_t>(1, level_ / 2));
}

void ConcurrencySearch::BeginTrial(Clock::TimePoint now) {
  if (level_ == most_) direction_ = Direction::kDown;
  if (level_ == 1) direction_ = Direction::kUp;
  TryUp();
  if (direction_ == Direction::kDown) candidate_ = level_ - std::max<std::size_t>(1, level_ / 4);
  base_ = tried_ = {};
  rest_ = 0;
  SetTrying(false, now);
}

void ConcurrencySearch::Rest(Clock::TimePoint now) {
  rest_ = next_rest_;
  rest_end_ = now + kLongestRestTime;
  next_rest_ = std::min(2 * next_rest_, kLongestRest);
}

void ConcurrencySearch::SetTrying(bool is_trying, Clock::TimePoint now) {
  const auto before = static_cast<double>(limit());
  is_trying_ = is_trying;
  // On a server that is full a request waits for all the others.
  jumps_.Expect(std::max(1.0, static_cast<double>(limit()) / before));
  began_at_ = now;
  latencies_.clear();
  full_ = not_full_ = 0;
}

void ConcurrencySearch::Halve(Clock::TimePoint now) {
  level_ = std::max<std::size_t>(1, limit() / 2);
  jumps_.Reset();
  is_climbing_ = false;
  direction_ = Direction::kUp;
  next_rest_ = kShortestRest;
  Rest(now);
  SetTrying(false, now);
}

Throttle::Throttle(std::optional<std::size_t> wanted, double max_rate)
    : most_(static_cast<double>(std::max<std::size_t>(wanted.value_or(kMostSearched), 1))),
      interval_(Interval(max_rate)),
      limit_(most_) {
  if (!wanted) search_.emplace(kMostSearched);
}

void Throttle::OnStart(Clock::TimePoint now, std::size_t in_flight) {
  if (search_) search_->OnStart(in_flight);
  // What is due a little late does not lower the rate, as turns come when something happens.
  constexpr std::chrono::milliseconds kLate{100};
  if (interval_ > Clock::Duration::zero()) {
    next_by_rate_ =
        std::max(next_by_rate_, now - std::min<Clock::Duration>(kLate, interval_)) + interval_;
  }
}

std::optional<std::chrono::seconds> Throttle::OnAnswer(const Answer& answer) {
  // What was sent before the last slowdown belongs to it.
  if (answer.sent >= halved_at_) Learn(answer);
  return HoldAfter(answer);
}

void Throttle::Learn(const Answer& answer) {
  const bool has_jumped =
      !answer.is_slowdown && search_ && search_->OnAnswer(answer.sent, answer.now);
  if (answer.is_slowdown || has_jumped) return Halve(answer.now);
  if (!search_) limit_ = std::min(most_, limit_ + 1 / limit_);
}

void Throttle::Halve(Clock::TimePoint now) {
  search_ ? search_->Halve(now) : void(limit_ = std::max(1.0, limit_ / 2));
  halved_at_ = now;
}

std::optional<std::chrono::seconds> Throttle::HoldAfter(const Answer& answer) {
  if (!answer.is_slowdown || !answer.retry_after) {
    refused_ = 0;
    return std::nullopt;
  }
  if (refused_++ == 0) {
    round_trip_ = std::max(kFewestRefused, answer.in_flight + 1);
    asked_until_ = {};
  }
  asked_until_ = std::max(asked_until_, answer.now + std::min(*answer.retry_after, kLongestHold));
  if (refused_ < round_trip_ || asked_until_ <= answer.now) return std::nullopt;
  held_until_ = std::max(held_until_, asked_until_);
  return std::chrono::ceil<std::chrono::seconds>(asked_until_ - answer.now);
}

}  // namespace migrate::rewrite
