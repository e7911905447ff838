#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kube/system/clock.h"

namespace migrate::sweep::write {

/// How many objects may be in flight so that other clients of the server hardly notice: a write
/// beside ours is to take 3 % longer at most, in the median, which is about a half for the slowest
/// of their reads.
///
/// It goes by what its own objects take, from the first of their requests to the last. Now and then
/// one is in flight alone for a moment, and then a few: what they take longer then is what one
/// write costs another that comes beside it, and so what it costs the request of another client.
/// Where that is too much already for a single one, a pause follows on each: one that costs twice
/// what others bear is in flight for a quarter of the time, one that costs four times that or more
/// for a sixteenth. No pause is longer than a tenth of a second.
///
/// So a server that has nothing else to do is not filled, and one that hardly notices a few more,
/// as it is large, or waits for an admission webhook, soon gets as many as are allowed.
///
/// No I/O and no clock: the time is passed in.
class Pace {
 public:
  using Clock = kube::system::Clock;

  /// One or more; the caller may have a lower limit of its own.
  std::size_t most_in_flight() const;
  /// When the next may begin; not after now where it is no question of time.
  Clock::TimePoint next_start() const { return next_start_; }
  /// A sweep begins, or goes on after a while: what was half seen before is forgotten.
  void BeginLook(Clock::TimePoint now);
  /// A request was sent, and with it so many are in flight.
  void OnStart(std::size_t in_flight);
  /// The object that was begun at `begun` is done; not of one that waited to be tried again.
  void OnDone(Clock::TimePoint begun, Clock::TimePoint now);

 private:
  enum class Phase {
    kAlone,   // one write after the other
    kBeside,  // as many as to see what one costs another
    kWork,
  };

  void Begin(Phase phase, Clock::TimePoint now);
  void Learn(Clock::TimePoint now);
  void LearnCost(double seconds);
  std::size_t Streams() const;
  std::size_t BesideEachOther() const;

  Phase phase_ = Phase::kAlone;
  // So many at once while at work; below one the part of the time that one is in flight.
  double bearable_ = 1;
  double alone_seconds_ = 0;
  // By which one more in flight makes each take longer, of what it takes alone.
  std::optional<double> cost_;
  bool has_changed_ = true;  // by the last look
  // Of this phase:
  std::vector<double> taken_;  // by its writes, in seconds
  std::size_t beside_ = 0;     // the most in flight at once
  Clock::TimePoint begun_at_{};

  Clock::TimePoint next_start_{};
};

}  // namespace migrate::sweep::write
