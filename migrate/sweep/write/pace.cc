#include "migrate/sweep/write/pace.h"

#include <algorithm>

namespace migrate::sweep::write {
namespace {

// By which part a write may take longer in the median for another one beside it. A read takes a
// third of the time of a write, so that it is three times as much of that, and its slowest in a
// hundred suffer five times as much again.
constexpr double kMostSlowdown = 0.03;
// What counts of it, so that one is in flight for a sixteenth of the time at least; and however
// slow the server was for a moment, two looks without that end the pauses.
constexpr double kMostCost = 4 * kMostSlowdown;
// Of writes to judge by: their median is little moved by single slow ones.
constexpr std::size_t kSamples = 24, kFewestSamples = 5;
constexpr std::chrono::seconds kLongestLook{2};
// Looks disturb, too: they are few where the last one has told nothing new.
constexpr std::chrono::seconds kSoon{3}, kLater{10};
// Where all takes long, as others fill the server, some writes a second still get done; and one
// that hangs is not followed by as long a pause.
constexpr std::chrono::milliseconds kMostPause{100};
// What was learned before counts, too, as what a server needs goes up and down by itself.
constexpr double kNewWeight = 0.5;
// By which factor what it learned differs from before, so that it looks again soon.
constexpr double kChange = 1.5;

double Median(std::vector<double>& seconds) {
  const auto place = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), place, seconds.end());
  return *place;
}

}  // namespace

std::size_t Pace::Streams() const {
  return bearable_ < 1 ? 1 : static_cast<std::size_t>(bearable_);
}

std::size_t Pace::BesideEachOther() const {
  const auto streams = Streams();
  return streams + streams / 2 + 1;
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
  return Streams();
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
  if (bearable_ < 1) {
    const auto pause =
        std::chrono::duration_cast<Clock::Duration>((now - begun) * (1 / bearable_ - 1));
    next_start_ = std::max(next_start_, now + std::min<Clock::Duration>(pause, kMostPause));
  }
  // What was begun earlier was among more or fewer.
  if (begun < begun_at_) return;
  if (phase_ == Phase::kWork) {
    if (now >= begun_at_ + (has_changed_ ? kSoon : kLater)) Begin(Phase::kAlone, now);
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
  const double more = seconds / alone_seconds_ - 1;
  // Less than nothing is noise, and counts against the noise that looks like a cost.
  const double cost = std::clamp(more / static_cast<double>(beside_ - 1), -kMostCost, kMostCost);
  cost_ = cost_ ? *cost_ + (cost - *cost_) * kNewWeight : cost;
  const double part = kMostSlowdown / std::max(*cost_, 1e-6);
  const auto most = static_cast<double>(std::max(beside_, Streams()));
  const double before = bearable_;
  // With pauses others are hit more rarely, yet as hard: their slowest requests still tell.
  bearable_ = std::min(most, part < 1 ? part * part : part);
  has_changed_ = std::max(bearable_, before) >= kChange * std::min(bearable_, before);
}

}  // namespace migrate::sweep::write
