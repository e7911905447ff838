#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/cel/value.h"
#include "kube/go/go_regexp.h"

/// Regular expressions in expressions.
namespace kube::cel {

/// Whether `pattern` matches anywhere in `text`: a bool, or an error.
Value MatchPattern(Memory& memory, std::string_view pattern, std::string_view text);

/// The compiled pattern; null where it is no regular expression, with Go's error. Patterns are
/// kept, so that those of a rule are compiled once.
std::shared_ptr<const go::GoMatcher> CompilePattern(std::string_view pattern, std::string& error);

}  // namespace kube::cel
