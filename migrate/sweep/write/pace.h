#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kube/system/clock.h"

namespace migrate::sweep::write {

/// How many objects may be in flight so that other clients of the server hardly notice: a read
/// beside our writes is to take 5 % longer at most, in the median, which is about a half for the
/// slowest in a hundred.
///
/// It goes by reads of its own, in looks: now and then one is sent while no write of ours is in
/// flight, and one together with writes, by turns. What the second ones take longer is what our
/// writes cost another client. Where a single one costs too much a pause follows on each: one that
/// costs twice what others bear is in flight for a quarter of the time, one that costs four and a
/// half times that or more for a twentieth. No pause is longer than 0.12 s.
///
/// So a server that has nothing else to do is not filled, and one that hardly notices a few more,
/// as it is large, or waits for an admission webhook, soon gets as many as are allowed.
///
/// No I/O and no clock: the time is passed in.
class Pace {
 public:
  using Clock = kube::system::Clock;

  /// How many objects may be in flight but for looks: one or more.
  std::size_t most_at_work() const;
  /// How many may be now: none for the moments of a look in which nothing of ours is to be in
  /// flight; the caller may have a lower limit of its own.
  std::size_t most_in_flight() const;
  /// When the next may begin; not after now where it is no question of time.
  Clock::TimePoint next_start() const { return next_start_; }
  /// When a read is to be sent, in the past for now; TimePoint::max(): none is wanted until
  /// something else has happened.
  Clock::TimePoint next_read() const;
  /// When a look has taken too long, as something hangs, so that OnTime ends it; TimePoint::max():
  /// there is none.
  Clock::TimePoint look_end() const;

  /// A sweep begins: what was half seen before is forgotten, and the next object that is done
  /// begins a look.
  void BeginSweep(Clock::TimePoint now);
  /// An object's request was sent, and with it so many are in flight.
  void OnStart(std::size_t in_flight);
  /// The object that was begun at `begun`, or tried again then, is done, or waits to be tried
  /// again; so many others are in flight.
  void OnDone(Clock::TimePoint begun, Clock::TimePoint now, std::size_t in_flight);
  /// The read that was due was sent.
  void OnReadSent(Clock::TimePoint now);
  /// It was answered.
  void OnRead(Clock::TimePoint now);
  /// It was not, or refused: then it counts as if a write cost others much, as nobody can see that
  /// it does not.
  void OnReadLost(Clock::TimePoint now);
  /// To be called from time to time, and at look_end().
  void OnTime(Clock::TimePoint now);

 private:
  enum class Phase {
    kWork,
    // The rounds of a look:
    kAlone,         // a read beside nothing is to be sent
    kAloneRead,     // and was
    kBeside,        // one together with writes is to be sent
    kBesideRead,    // and was
    kBesideWrites,  // the writes are still in flight
  };

  bool is_looking() const { return phase_ != Phase::kWork; }
  void BeginLook(Clock::TimePoint now);
  void BeginRound(Clock::TimePoint now);
  void EndRound(Clock::TimePoint now);
  void EndLook(Clock::TimePoint now, bool has_changed);
  void Forget();
  // Both: true where the pace has changed much by it.
  bool Learn();
  bool LearnCost(double cost, double waits, double together);
  std::size_t BesideRead() const;

  Phase phase_ = Phase::kWork;
  // So many at once while at work; below one the part of the time that one is in flight.
  double bearable_ = 1;
  // By which one write makes a read take longer, of what it takes alone.
  std::optional<double> cost_;
  std::size_t in_flight_ = 0;
  Clock::TimePoint next_start_{};
  Clock::TimePoint next_look_{};

  // Of looks since it has learned: what reads and writes took, in seconds, and how many writes all
  // reads of the second kind had beside them.
  std::vector<double> alone_, beside_, writes_;
  std::size_t writes_beside_ = 0;
  // Of a look, and of a round of it:
  Clock::TimePoint begun_at_{};
  Clock::TimePoint read_at_{};   // when the next read is due, or this one was sent
  std::size_t beside_this_ = 0;  // so many writes
};

}  // namespace migrate::sweep::write
