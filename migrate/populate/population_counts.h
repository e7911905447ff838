#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "migrate/report/population_report.h"

namespace migrate::populate {

/// How populating fares, for whoever asks at /metrics. For several threads at once.
class PopulationCounts {
 public:
  /// As things are now.
  struct Gauges {
    std::size_t namespaces = 0, templates = 0;  ///< in the cluster
    std::size_t due = 0;                        ///< namespaces to be looked at
    std::size_t unfinished = 0;                 ///< namespaces in which something failed
    std::size_t refused = 0;                    ///< templates, where it leads
    bool leads = false;
    bool is_blind = false;  ///< changes of the cluster are not seen
  };

  void Set(const Gauges& gauges);
  void Count(report::PopulationClass population_class);
  void CountRound() { ++rounds_; }

  /// Whole lines in Prometheus's text format.
  std::string PrintMetrics() const;

 private:
  std::atomic<std::size_t> namespaces_ = 0, templates_ = 0, due_ = 0, unfinished_ = 0, refused_ = 0;
  std::atomic<bool> leads_ = false, is_blind_ = false;
  std::atomic<std::uint64_t> rounds_ = 0;
  std::array<std::atomic<std::uint64_t>, report::kPopulationClasses> objects_{};
};

}  // namespace migrate::populate
