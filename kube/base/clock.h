#pragma once

#include <chrono>

namespace kube::base {

/// Where time comes from: the system's clocks, or in tests one that stands still until it is told.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  virtual ~Clock() = default;
  /// Never goes back; for deadlines and pauses.
  virtual TimePoint Now() const = 0;
};

/// The system's clock.
class SystemClock : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace kube::base
