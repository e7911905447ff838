#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "kube/admission/handler.h"
#include "kube/admission/review.h"
#include "kube/base/clock.h"
#include "kube/base/mutex.h"

namespace kube::admission {

/// Counts for Prometheus. For several threads at once.
class Metrics {
 public:
  /// One call of a handler.
  void NoteCall(std::string_view handler, Operation operation, const Verdict& verdict,
                base::Clock::Duration duration);
  /// One answer to a POST, by its HTTP status.
  void NoteAnswer(int code);

  /// The text format (version 0.0.4), sorted:
  ///
  ///     admission_handler_calls_total{handler="warn",operation="CREATE",outcome="allowed"} 3
  ///     admission_handler_duration_seconds_bucket{handler="warn",le="0.001"} 3
  ///     admission_answers_total{code="200"} 3
  ///
  /// Outcomes are allowed, refusal, permanent, temporary and other.
  std::string Print() const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                     0.1,   0.25,   0.5,   1,    2.5,   10};
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // not cumulative; the last: above all
    double sum = 0;                                          // seconds
  };
  mutable base::Mutex mutex_;
  void PrintCalls(std::string& out) const REQUIRES(mutex_);
  void PrintDurations(std::string& out) const REQUIRES(mutex_);
  void PrintAnswers(std::string& out) const REQUIRES(mutex_);

  // By handler, operation and outcome.
  std::map<std::tuple<std::string, std::string_view, std::string_view>, std::uint64_t> calls_
      GUARDED_BY(mutex_);
  std::map<std::string, Durations, std::less<>> durations_ GUARDED_BY(mutex_);  // by handler
  std::map<int, std::uint64_t> answers_ GUARDED_BY(mutex_);                     // by code
};

}  // namespace kube::admission
