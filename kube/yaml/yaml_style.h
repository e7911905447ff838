#pragma once

#include <cstdint>
#include <string_view>

namespace kube::yaml {

enum class ScalarStyle : std::uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

/// How go-yaml writes the string `text`: plain where that reads back as the same string, as a
/// literal block ("|") where it has lines, else in quotes.
ScalarStyle StyleOf(std::string_view text);

/// Characters that go-yaml writes as they are between double quotes, but for " and \ and for what
/// steers a terminal (utf8::SteeringLength). Looks at the first character of `text`.
bool IsPrintable(std::string_view text);

}  // namespace kube::yaml
