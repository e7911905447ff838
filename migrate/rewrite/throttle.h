#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "kube/base/clock.h"

namespace migrate::rewrite {

/// Notices that a server takes far longer for an answer than it used to.
class JumpDetector {
 public:
  /// Takes the latency of an answer, in seconds. True: it has jumped.
  bool Add(double seconds);
  /// From now on answers are to take so many times as long, and that is no jump.
  void Expect(double times) { recent_ *= times, base_ *= times; }
  /// What has jumped is over.
  void Reset() { recent_ = base_; }

 private:
  // The one follows quickly, the other is what the server needs when it has time.
  double recent_ = 0, base_ = 0;
  bool has_some_ = false;
};

/// Finds as few requests in flight as keep the server's throughput.
///
/// It begins with one. A window of some answers measures the rate at the present limit, and another
/// one at a limit next to it. It takes the higher limit where each request more gains 10 % (or,
/// where that cannot be, four fifths of what a server without a limit would gain), and the lower
/// one where each request less costs under 5 %. The first windows are short, so that some hundred
/// objects are enough. Later ones are longer and measured by turns, and it tries anew now and then,
/// the more rarely the less came of it.
///
/// It halves after a jump of the latency: far above what it was at this limit.
///
/// No I/O and no clock: the time is passed in.
class ConcurrencySearch {
 public:
  using Clock = kube::base::Clock;

  /// Goes up to `most`.
  explicit ConcurrencySearch(std::size_t most) : most_(most) {}

  /// How many may be in flight.
  std::size_t limit() const { return is_trying_ ? candidate_ : level_; }
  /// A request was sent, and with it so many are in flight. Where these stay below the limit, what
  /// is measured says nothing.
  void OnStart(std::size_t in_flight) { peak_ = std::max(peak_, in_flight); }
  /// A request that was sent at `sent` was answered, and that was no slowdown. True: the latency
  /// has jumped.
  bool OnAnswer(Clock::TimePoint sent, Clock::TimePoint now);
  /// Half as many, and no more for a while.
  void Halve(Clock::TimePoint now);

 private:
  enum class Direction { kUp, kDown };

  std::size_t WindowSize() const;
  bool IsWindowFull(Clock::TimePoint now) const;
  void EndWindow(Clock::TimePoint now);
  void EndTrial(Clock::TimePoint now);
  bool IsWorthIt() const;
  void BeginTrial(Clock::TimePoint now);
  void TryUp();
  void Rest(Clock::TimePoint now);
  void SetTrying(bool is_trying, Clock::TimePoint now);

  /// What was measured at one limit: the latency, in seconds, in some windows.
  struct Measured {
    double sum = 0;
    int windows = 0;
    void Add(double seconds) { sum += seconds, ++windows; }
    double RateAt(std::size_t limit) const { return static_cast<double>(limit) * windows / sum; }
  };

  const std::size_t most_;
  std::size_t level_ = 1;
  bool is_climbing_ = true;  // until the first limit that does not pay
  Direction direction_ = Direction::kUp;
  // Until the next trial: so many answers, or until then.
  std::size_t rest_ = 0, next_rest_ = kShortestRest;
  Clock::TimePoint rest_end_{};

  // Of a trial: whether `candidate_` is better than `level_`.
  std::size_t candidate_ = 1;
  bool is_trying_ = false;
  Measured base_, tried_;

  // Of a window: what was sent since.
  Clock::TimePoint began_at_ = Clock::TimePoint::min();
  std::vector<double> latencies_;
  std::size_t full_ = 0, not_full_ = 0;  // how often as many were sent as may be, or fewer

  std::size_t peak_ = 0;  // in flight, since the last answer
  JumpDetector jumps_;

  static constexpr std::size_t kShortestRest = 64;
};

/// How fast objects are written.
struct Pace {
  /// So many at once; absent: as many as Throttle finds.
  std::optional<std::size_t> concurrency{};
  double max_rate = 0;  ///< objects a second; 0: no limit
};

/// How many requests may be in flight, and when the next one may begin.
///
/// With a number that the user wants it is that one at once. Without one it searches
/// (ConcurrencySearch), up to kMostSearched. After a slowdown, which is what the caller calls so
/// (429, 5xx, etcd's throttle texts), half as many may be, once for all that was in flight
/// together; a number that was wanted comes back by one with each round trip.
///
/// A server that asks to wait (Retry-After) means the request that it answers. Only where it said
/// so to a whole round trip, as many answers in a row as were in flight, all wait: for the longest
/// that was asked for.
///
/// No I/O and no clock: the time is passed in.
class Throttle {
 public:
  using Clock = kube::base::Clock;
  static constexpr std::size_t kMostSearched = 16;

  /// `wanted` at once; absent: as many as the search finds. `max_rate` a second; 0: no limit.
  Throttle(std::optional<std::size_t> wanted, double max_rate);
  explicit Throttle(const Pace& pace) : Throttle(pace.concurrency, pace.max_rate) {}

  /// True if another request may begin now.
  bool MayStart(Clock::TimePoint now, std::size_t in_flight) const {
    return in_flight < limit() && now >= next_start();
  }
  /// When time alone lets another begin; not after now where it is no question of time.
  Clock::TimePoint next_start() const { return std::max(held_until_, next_by_rate_); }
  void OnStart(Clock::TimePoint now, std::size_t in_flight);

  struct Answer {
    Clock::TimePoint sent, now;
    bool is_slowdown = false;
    std::optional<std::chrono::seconds> retry_after{};
    std::size_t in_flight = 0;  ///< others that are
  };
  /// Returns how long all wait from now on, where this answer has them wait.
  std::optional<std::chrono::seconds> OnAnswer(const Answer& answer);

  /// How many may be in flight.
  std::size_t limit() const {
    return search_ ? search_->limit() : static_cast<std::size_t>(limit_);
  }

 private:
  void Learn(const Answer& answer);
  void Halve(Clock::TimePoint now);
  std::optional<std::chrono::seconds> HoldAfter(const Answer& answer);

  std::optional<ConcurrencySearch> search_;
  const double most_;
  const Clock::Duration interval_;  // between starts; zero: none
  double limit_;                    // without a search
  Clock::TimePoint halved_at_ = Clock::TimePoint::min();
  Clock::TimePoint held_until_ = Clock::TimePoint::min();
  Clock::TimePoint next_by_rate_ = Clock::TimePoint::min();
  // Of answers in a row that asked to wait: how many there were, how many are a round trip, and
  // until when the longest wants to wait.
  std::size_t refused_ = 0, round_trip_ = 0;
  Clock::TimePoint asked_until_{};
};

}  // namespace migrate::rewrite
