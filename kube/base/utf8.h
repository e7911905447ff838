#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

/// UTF-8 as Go reads it.
namespace kube::base::utf8 {

/// True if all of `text` is UTF-8: shortest forms, no surrogates, nothing above U+10FFFF.
bool IsValid(std::string_view text);

/// The length of the valid sequence at the start of `text`; 0 where there is none.
std::size_t SequenceLength(std::string_view text);

/// How many characters there are in `text`, which is UTF-8.
std::int64_t CountCharacters(std::string_view text);

/// The first `limit` bytes at most, not cut within a sequence.
std::string_view Prefix(std::string_view text, std::size_t limit);
/// The same for people, with "..." behind it if anything is left out.
std::string Shortened(std::string_view text, std::size_t limit);

/// The length of the control character at the start of `text`: C0, DEL, or C1 (U+0080 to U+009F);
/// 0 where there is none.
std::size_t ControlLength(std::string_view text);

/// The same, and beyond these what changes how the text around it is shown: line separators,
/// bidirectional marks, embeddings, overrides and isolates, the byte order mark.
std::size_t SteeringLength(std::string_view text);

/// A copy in which every byte that is not part of a valid sequence is U+FFFD.
std::string Sanitize(std::string_view text);

/// Appends `code_point` to `out`.
void Append(std::string& out, char32_t code_point);

}  // namespace kube::base::utf8
