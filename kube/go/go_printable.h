#pragma once

namespace kube::go {

/// True if Go prints `rune` in a quoted string as it is (strconv.IsPrint): letters, marks, numbers,
/// punctuation, symbols and the ASCII blank, by Unicode 15.0 as Go does since 1.21.
bool IsGoPrintable(char32_t rune);

}  // namespace kube::go
