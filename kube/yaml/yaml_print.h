#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

namespace kube::yaml {

/// True if go-yaml prints key `a` before key `b`: other characters before digits before letters,
/// and digits by the number that they make ("a2" before "a10"). All of U+0080 and up counts as
/// letters here, where Go looks into Unicode's tables.
///
/// That is no order: a12 < a1b < a2 < a12. Only SortByKey can sort by it.
bool KeyLess(std::string_view a, std::string_view b);

/// Sorts by KeyLess. The result does not depend on the order before.
void SortByKey(std::vector<const json::Member*>& members);

enum class ScalarStyle : std::uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

/// How go-yaml writes the string `text`: plain where that reads back as the same string, as a
/// literal block ("|") where it has lines, else in quotes.
ScalarStyle StyleOf(std::string_view text);

/// Characters that go-yaml writes as they are between double quotes, but for " and \ and for what
/// steers a terminal (utf8::SteeringLength). Looks at the first character of `text`.
bool IsPrintable(std::string_view text);

}  // namespace kube::yaml
