#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::go {

/// What Go's regexp makes of a pattern.
struct GoRegexp {
  /// The text of Go's error; absent if Go accepts the pattern.
  std::optional<std::string> error;
  /// The same expression in the words of RE2, without the names of groups; only without an error.
  std::string re2;
};

/// Reads `pattern` as regexp.Compile does (regexp/syntax/parse.go with the flags Perl, Go 1.25 and
/// later). Time and memory grow with the length of the pattern alone.
GoRegexp ParseGoRegexp(std::string_view pattern);

}  // namespace kube::go
