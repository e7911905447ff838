#pragma once

#include <cstddef>
#include <string_view>

namespace kube::base {

/// What stands for bytes that are no UTF-8.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// One character and the number of bytes that it takes.
struct Rune {
  char32_t value;
  std::size_t size;

  /// True where there was a byte that is no UTF-8. U+FFFD itself takes three bytes.
  bool IsBad() const { return value == kReplacementCharacter && size == 1; }
};

/// The first character of `text`, as Go's utf8.DecodeRuneInString: U+FFFD of size 0 for no text, of
/// size 1 for a byte that is no UTF-8.
Rune DecodeRune(std::string_view text);

}  // namespace kube::base
