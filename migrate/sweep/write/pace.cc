#include "migrate/sweep/write/pace.h"

#include <algorithm>

namespace migrate::sweep::write {
namespace {

// By which part a read may take longer in the median for what is in flight beside it. The slowest
// in a hundred suffer about ten times as much.
constexpr double kMostSlowdown = 0.05;
// What counts of it, so that one is in flight for a twentieth of the time at least; and however
// slow the server was for a moment, a few looks without that end the pauses.
constexpr double kMostCost = 4.5 * kMostSlowdown;
// Of reads to judge by: their median is little moved by single slow ones.
constexpr std::size_t kSamples = 24, kFewestSamples = 3;
constexpr std::chrono::seconds kLongestLook{10};
// Looks disturb, too: they are few where the last one has told nothing new.
constexpr std::chrono::seconds kSoon{3}, kLater{15};
// Ahead of each read and of the writes beside one, so that it does not meet what the last ones
// have left to do.
constexpr std::chrono::milliseconds kRest{5};
// A write keeps a server busy for as long as a few reads do; what it takes above that it waits for
// something else.
constexpr double kReadsInWrite = 4;
// Where all takes long, as others fill the server, some writes a second still get done; and one
// that hangs is not followed by as long a pause.
constexpr std::chrono::milliseconds kMostPause{120};
// What was learned before counts, too, as what a server needs goes up and down by itself.
constexpr double kNewWeight = 0.5;
// By which factor what it learned differs from before, so that it looks again soon.
constexpr double kChange = 1.5;

double Seconds(Pace::Clock::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double Median(std::vector<double>& seconds) {
  if (seconds.empty()) return 0;
  const auto place = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), place, seconds.end());
  return *place;
}

}  // namespace

std::size_t Pace::most_at_work() const {
  return bearable_ < 1 ? 1 : static_cast<std::size_t>(bearable_);
}

std::size_t Pace::BesideRead() const {
  if (bearable_ < 1) return 1;
  const auto streams = most_at_work();
  return streams + streams / 2 + 1;
}

std::size_t Pace::most_in_flight() const {
  switch (phase_) {
    case Phase::kWork:
      return most_at_work();
    case Phase::kBeside:
      return BesideRead();
    default:
      return 0;
  }
}

Pace::Clock::TimePoint Pace::next_read() const {
  const bool is_due = in_flight_ == 0 ? phase_ == Phase::kAlone : phase_ == Phase::kBeside;
  return is_due ? read_at_ : Clock::TimePoint::max();
}

Pace::Clock::TimePoint Pace::look_end() const {
  return is_looking() ? begun_at_ + kLongestLook : Clock::TimePoint::max();
}

void Pace::BeginSweep(Clock::TimePoint now) {
  phase_ = Phase::kWork;
  in_flight_ = 0;
  next_start_ = next_look_ = now;
  Forget();
}

void Pace::BeginLook(Clock::TimePoint now) {
  begun_at_ = now;
  BeginRound(now);
}

void Pace::Forget() {
  alone_.clear();
  beside_.clear();
  writes_.clear();
  writes_beside_ = 0;
}

void Pace::BeginRound(Clock::TimePoint now) {
  phase_ = Phase::kAlone;
  // In the middle of a pause, as that does not become longer by it then.
  read_at_ = now + std::max<Clock::Duration>(kRest, (next_start_ - now) / 2);
}

void Pace::OnStart(std::size_t in_flight) { in_flight_ = in_flight; }

void Pace::OnDone(Clock::TimePoint begun, Clock::TimePoint now, std::size_t in_flight) {
  in_flight_ = in_flight;
  if (bearable_ < 1) {
    const auto pause =
        std::chrono::duration_cast<Clock::Duration>((now - begun) * (1 / bearable_ - 1));
    next_start_ = std::max(next_start_, now + std::min<Clock::Duration>(pause, kMostPause));
  }
  if (!is_looking()) {
    if (now >= next_look_) BeginLook(now);
    return;
  }
  // What was begun earlier was among others.
  if (phase_ == Phase::kAlone) return;
  writes_.push_back(Seconds(now - begun));
  if (phase_ == Phase::kBesideWrites && in_flight_ == 0) EndRound(now);
}

void Pace::OnReadSent(Clock::TimePoint now) {
  phase_ = phase_ == Phase::kAlone ? Phase::kAloneRead : Phase::kBesideRead;
  read_at_ = now;
  beside_this_ = in_flight_;
}

void Pace::OnRead(Clock::TimePoint now) {
  const double seconds = Seconds(now - read_at_);
  if (phase_ == Phase::kAloneRead) {
    alone_.push_back(seconds);
    phase_ = Phase::kBeside;
    next_start_ = std::max<Clock::TimePoint>(next_start_, now + kRest);
  } else if (phase_ == Phase::kBesideRead) {
    beside_.push_back(seconds);
    writes_beside_ += beside_this_;
    phase_ = Phase::kBesideWrites;
    if (in_flight_ == 0) EndRound(now);
  }  // else of a look that has ended
}

void Pace::OnReadLost(Clock::TimePoint now) {
  if (phase_ != Phase::kAloneRead && phase_ != Phase::kBesideRead) return;
  Forget();
  EndLook(now, LearnCost(kMostCost, 1, 1));
}

void Pace::OnTime(Clock::TimePoint now) {
  if (now >= look_end()) EndLook(now, Learn());
}

void Pace::EndRound(Clock::TimePoint now) {
  beside_.size() < kSamples ? BeginRound(now) : EndLook(now, Learn());
}

void Pace::EndLook(Clock::TimePoint now, bool has_changed) {
  phase_ = Phase::kWork;
  next_look_ = now + (has_changed ? kSoon : kLater);
}

bool Pace::Learn() {
  // The next look adds to them.
  if (beside_.size() < kFewestSamples) return false;
  const double alone_seconds = Median(alone_), beside_seconds = Median(beside_);
  const double waits = Median(writes_) / (kReadsInWrite * alone_seconds);
  const double together = static_cast<double>(writes_beside_) / static_cast<double>(beside_.size());
  Forget();
  if (alone_seconds <= 0) return false;
  const double cost = (beside_seconds / alone_seconds - 1) / together;
  return LearnCost(cost, std::max(1.0, waits), together);
}

bool Pace::LearnCost(double cost, double waits, double together) {
  // Less than nothing is noise, and counts against the noise that looks like a cost.
  cost = std::clamp(cost, -kMostCost, kMostCost);
  cost_ = cost_ ? *cost_ + (cost - *cost_) * kNewWeight : cost;
  const double part = kMostSlowdown / std::max(*cost_, 1e-6);
  // With pauses others are hit more rarely, yet as hard: their slowest requests still tell.
  const double busy = part < 1 ? part * part : part;
  // Where a rate lets few begin together it still grows.
  const double most = std::max(together, static_cast<double>(most_at_work() + 1));
  const double before = bearable_;
  bearable_ = std::min(most, busy * waits);
  return std::max(bearable_, before) >= kChange * std::min(bearable_, before);
}

}  // namespace migrate::sweep::write
