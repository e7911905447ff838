#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kube::schema {

/// Holds texts against patterns, for one CRD. Some hundred bytes of patterns can take minutes, in
/// the API server as here, so that the work has an end: once it took three seconds, and what was
/// allowed beside them, nothing more can be told. The defaults of no known CRD take a hundredth of
/// that.
class PatternChecks {
 public:
  using CpuClock = std::function<std::chrono::nanoseconds()>;

  /// `cpu_time` is the processor time that the thread has used.
  explicit PatternChecks(CpuClock cpu_time);
  PatternChecks(PatternChecks&&) noexcept;
  ~PatternChecks();

  /// Absent if `text` matches `pattern`, or it cannot be told. Else what the API server says that
  /// it should, e.g. "should match '^a'" or "should match '[, but pattern is invalid: error parsing
  /// regexp: missing closing ]: `[`'".
  std::optional<std::string> Mismatch(std::string_view pattern, std::string_view text);

  /// Lets the work take this much more time.
  void Allow(std::chrono::nanoseconds time) { limit_ += time; }

  /// How often it could not be told.
  std::uint64_t undecided() const { return undecided_; }

 private:
  struct Pattern;
  class Stopwatch;

  Pattern& Find(std::string_view pattern);
  std::optional<std::string> Describe(Pattern& found, std::string_view pattern,
                                      std::string_view text);

  CpuClock cpu_time_;
  std::chrono::nanoseconds limit_ = std::chrono::seconds(3);
  std::chrono::nanoseconds used_{0};
  std::uint64_t undecided_ = 0;
  // Those of a whole CRD as a rule, which take turns in objects; some are large.
  std::size_t memory_ = 0;  // of these, in bytes
  std::map<std::string, std::unique_ptr<Pattern>, std::less<>> patterns_;
};

}  // namespace kube::schema
