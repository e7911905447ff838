#include "migrate/sweep/write/pace.h"

#include <algorithm>

namespace migrate::sweep::write {
namespace {

// By which part a write may take longer in the median for another one beside it. A read takes a
// third of the time of a write, so that it is three times as much of that, and its slowest in a
// hundred suffer three times as much again.
constexpr double kMostSlowdown = 0.05;
// Of writes to judge by: their median is little moved by single slow ones.
constexpr std::size_t kSamples = 24, kFewestSamples = 5;
constexpr std::chrono::seconds kLongestLook{2};
// Looks disturb, too: they are few where the last one has told nothing new.
constexpr std::chrono::seconds kSoon{3}, kLater{10};
// One write that hangs is not followed by as long a pause.
constexpr std::chrono::seconds kMostPause{1};
// What was learned before counts, too, as what a server needs goes up and down by itself.
constexpr double kNewWeight = 0.5;

double Median(std::vector<double>& seconds) {
  const auto place = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), place, seconds.end());
  return *place;
}

}  // namespace

std::size_t Pace::BesideEachOther() const {
  return std::max<std::size_t>(2, streams_ + streams_ / 2 + 1);
}

std::size_t Pace::most_in_flight() const {
  switch (phase_) {
    case Phase::kAlone:
      return 1;
    case Phase::kBeside:
      return BesideEachOther();
    case Phase::kWork:
      break;
  }
  return std::max<std::size_t>(1, streams_);
}

void Pace::BeginLook(Clock::TimePoint now) {
  next_start_ = now;
  Begin(Phase::kAlone, now);
}

void Pace::Begin(Phase phase, Clock::TimePoint now) {
  phase_ = phase;
  begun_at_ = now;
  taken_.clear();
  beside_ = 0;
}

void Pace::OnStart(std::size_t in_flight) { beside_ = std::max(beside_, in_flight); }

void Pace::OnDone(Clock::TimePoint begun, Clock::TimePoint now) {
  if (streams_ == 0 && phase_ != Phase::kBeside) {
    next_start_ = now + std::min<Clock::Duration>(now - begun, kMostPause);
  }
  // What was begun earlier was among more or fewer.
  if (begun < begun_at_) return;
  if (phase_ == Phase::kWork) {
    if (now >= begun_at_ + (has_changed_ ? kSoon : kLater)) BeginLook(now);
    return;
  }
  taken_.push_back(std::chrono::duration<double>(now - begun).count());
  const bool is_late = now >= begun_at_ + kLongestLook && taken_.size() >= kFewestSamples;
  if (is_late || taken_.size() >= std::max(kSamples, 2 * beside_)) Learn(now);
}

void Pace::Learn(Clock::TimePoint now) {
  const double seconds = Median(taken_);
  if (phase_ == Phase::kAlone) {
    alone_seconds_ = seconds;
    return Begin(Phase::kBeside, now);
  }
  if (beside_ > 1 && alone_seconds_ > 0) LearnCost(seconds);
  Begin(Phase::kWork, now);
}

void Pace::LearnCost(double seconds) {
  const double more = std::max(0.0, seconds / alone_seconds_ - 1);
  // However slow the server was for a moment: two looks without that undo it.
  const double cost = std::min(more / static_cast<double>(beside_ - 1), 2 * kMostSlowdown);
  cost_ = cost_ ? *cost_ + (cost - *cost_) * kNewWeight : cost;
  const std::size_t most = std::max(beside_, streams_);
  const double bearable = kMostSlowdown / std::max(*cost_, 1e-6);
  const std::size_t before = streams_;
  streams_ = bearable >= static_cast<double>(most) ? most : static_cast<std::size_t>(bearable);
  has_changed_ = streams_ != before || streams_ == 0;
}

}  // namespace migrate::sweep::write
