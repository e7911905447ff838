#pragma once

#include <cstddef>

#include "kube/system/clock.h"
#include "migrate/sweep/write/pace.h"

namespace migrate::sweep::write {

/// How many writes may be in flight, by how the server takes them: four at first, twice as many
/// with each round trip until the first slowdown, then one more with each; half as many after a
/// slowdown, once for all that was in flight together. A slowdown is what the caller calls so (429,
/// 5xx) and a latency far above what it used to be.
///
/// No I/O and no clock: the time is passed in.
class Throttle {
 public:
  using Clock = kube::system::Clock;

  /// `most` writes at once, `max_rate` a second; 0: no limit.
  Throttle(std::size_t most, double max_rate);

  /// True if another write may begin now.
  bool MayStart(Clock::TimePoint now, std::size_t in_flight) const;
  /// When time alone lets another begin; not after `now` where it is no question of time.
  Clock::TimePoint next_start() const;
  void OnStart(Clock::TimePoint now, std::size_t in_flight);
  /// A write that was sent at `sent` was answered.
  void OnAnswer(Clock::TimePoint sent, Clock::TimePoint now, bool is_slowdown);
  /// What it allows is a limit, too, from now on; it must outlive this one.
  void SetPace(Pace& pace) { pace_ = &pace; }
  /// No write begins before `then`: the server said so (429 with Retry-After).
  void HoldUntil(Clock::TimePoint then);

  /// How many may be in flight.
  std::size_t limit() const;

 private:
  bool TakeLatency(Clock::Duration latency);
  void Halve(Clock::TimePoint now);
  void Grow();

  const double most_;
  const Clock::Duration interval_;  // between starts; zero: none
  double limit_;
  Pace* pace_ = nullptr;
  bool is_doubling_ = true;
  bool is_used_ = false;  // as many were in flight as may be
  Clock::TimePoint halved_at_ = Clock::TimePoint::min();
  Clock::TimePoint held_until_ = Clock::TimePoint::min();
  Clock::TimePoint next_by_rate_ = Clock::TimePoint::min();
  // In seconds; the one follows quickly, the other is what the server needs when it has time.
  double recent_latency_ = 0, base_latency_ = 0;
  bool knows_latency_ = false;
};

}  // namespace migrate::sweep::write
