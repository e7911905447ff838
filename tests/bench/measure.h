#pragma once

#include <cstdint>
#include <functional>

namespace bench {

/// What one run cost and counted.
struct Cost {
  double cpu_seconds = 0;  ///< user and system
  double peak_mib = 0;     ///< resident memory at its highest
  std::uint64_t objects = 0;
  std::uint64_t unknown_fields = 0;
};

/// What a run counted; the rest of Cost is measured from outside.
struct Counts {
  std::uint64_t objects = 0;
  std::uint64_t unknown_fields = 0;
};

/// Runs `work` in a process of its own, `repeat` times, so that the memory is its own; returns the
/// cheapest run. Throws std::runtime_error where the work threw or died.
Cost Measure(int repeat, const std::function<Counts()>& work);

}  // namespace bench
