#pragma once

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

/// A regular expression of Go to hold against texts. To make one costs far more than to use it.
class GoMatcher {
 public:
  /// `pattern` has no GoRegexpError. Need not outlive it.
  explicit GoMatcher(std::string_view pattern);
  ~GoMatcher();

  /// True if it matches anywhere in `text`, as regexp.MatchString.
  ///
  /// True also for the few patterns that Go knows and RE2 cannot run (\p{Cn}, \p{LC}, programs that
  /// take more than 256 MiB): nothing can be said against `text` then.
  bool Matches(std::string_view text) const;

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace kube::schema
