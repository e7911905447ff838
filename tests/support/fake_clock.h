#pragma once

#include <stdexcept>

#include "kube/base/clock.h"

namespace test_support {

/// A clock that stands still until it is told.
class FakeClock : public kube::base::Clock {
 public:
  TimePoint Now() const override { return now_; }
  void Advance(Duration by) { now_ += by; }
  /// Goes on to `then`, never back.
  void AdvanceTo(TimePoint then) {
    // What waits without a deadline would wait for ever in a program.
    if (then == TimePoint::max()) throw std::logic_error("nothing would ever happen again");
    if (then > now_) now_ = then;
  }
  /// Since the clock was made.
  Duration passed() const { return now_ - kStart; }

 private:
  static constexpr TimePoint kStart{std::chrono::hours(1)};
  TimePoint now_ = kStart;
};

}  // namespace test_support
