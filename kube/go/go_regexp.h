#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace kube::go {

/// Go's regexp.Compile: absent if `pattern` is a regular expression, else the text of its error,
/// e.g. "error parsing regexp: missing closing ]: `[`".
std::optional<std::string> GoRegexpError(std::string_view pattern);

/// A regular expression of Go to hold against texts. To make one costs far more than to use it; one
/// can be used by several threads.
class GoMatcher {
 public:
  /// `pattern` has no GoRegexpError. Need not outlive it.
  explicit GoMatcher(std::string_view pattern);
  ~GoMatcher();

  /// Whether it matches anywhere in `text`, as regexp.MatchString.
  ///
  /// Absent where that cannot be told: for the few patterns that Go knows and RE2 cannot run
  /// (\p{Cn}, \p{LC}), and where it would take RE2 seconds or very much memory: for patterns of
  /// more than 8 KiB, for very large programs (`^\pL{1,1000}$`), and for large ones with long
  /// texts.
  std::optional<bool> Matches(std::string_view text) const;

  struct Span {
    std::size_t begin;
    std::size_t end;
  };
  struct Answer {
    bool is_decided;           ///< false: it cannot be told, as in Matches
    std::optional<Span> span;  ///< absent, where it is decided: it does not match
  };
  /// Where it matches first in `text` from the byte `from` on, as regexp.FindStringIndex.
  Answer Find(std::string_view text, std::size_t from) const;

  /// How many instructions it was compiled to; of one that was too large, as many as it may have.
  std::int64_t ProgramSize() const;
  /// How many steps it takes at most to hold it against `text`: of one to ten nanoseconds each.
  std::int64_t StepsFor(std::string_view text) const;
  /// The bytes that it may take; it grows with what it is held against.
  std::size_t MostMemory() const;

 private:
  std::unique_ptr<const re2::RE2> expression_;  // null pointer: it cannot be run
};

}  // namespace kube::go
