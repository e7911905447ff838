#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace kube::schema {

/// Go's regexp.Compile: absent if `pattern` is a regular expression, else the text of its error,
/// e.g. "error parsing regexp: missing closing ]: `[`".
std::optional<std::string> GoRegexpError(std::string_view pattern);

/// A regular expression of Go to hold against texts. To make one costs far more than to use it; one
/// can be used by several threads.
class GoMatcher {
 public:
  /// Enough for the largest program that Go compiles. Taken only as it is needed, and kept.
  static constexpr std::int64_t kMaxMemory = std::int64_t{256} << 20;

  /// `pattern` has no GoRegexpError. Need not outlive it. `max_memory` is in bytes.
  explicit GoMatcher(std::string_view pattern, std::int64_t max_memory = kMaxMemory);
  ~GoMatcher();

  /// True if it matches anywhere in `text`, as regexp.MatchString.
  ///
  /// True also for the few patterns that Go knows and RE2 cannot run (\p{Cn}, \p{LC}, programs that
  /// take more than `max_memory`): nothing can be said against `text` then.
  bool Matches(std::string_view text) const;

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace kube::schema
