#pragma once

#include <string_view>

namespace kube::go {

/// True if Go prints `rune` in a quoted string as it is (strconv.IsPrint): letters, marks, numbers,
/// punctuation, symbols and the ASCII blank, by Unicode 15.0 as Go does since 1.21.
bool IsGoPrintable(char32_t rune);
/// unicode.IsSpace.
bool IsGoSpace(char32_t rune);
/// strings.TrimSpace.
std::string_view TrimGoSpace(std::string_view text);

}  // namespace kube::go
