#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::schema {

/// Go's regexp.Compile: absent if `pattern` is a regular expression, else the text of its error,
/// e.g. "error parsing regexp: missing closing ]: `[`".
std::optional<std::string> GoRegexpError(std::string_view pattern);

/// True if `pattern` (which compiles) matches anywhere in `text`, as regexp.MatchString.
///
/// True also for the few patterns that Go knows and RE2 cannot run (\p{Cn}, \p{LC}, programs that
/// take more than 256 MiB): nothing can be said against `text` then.
bool GoRegexpMatches(std::string_view pattern, std::string_view text);

}  // namespace kube::schema
