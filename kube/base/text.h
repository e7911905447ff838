#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kube::base {

// What a byte of ASCII is, in no locale.

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/// The value of a hexadecimal digit; -1 where it is none.
inline int HexDigitValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Unicode's white space below U+0080.
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// True for an empty text, too.
inline bool AreDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsDigit);
}
/// Where the digits of `text` end that begin at `at`.
inline std::size_t SkipDigits(std::string_view text, std::size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

/// The letters A to Z as a to z; all other bytes stay.
inline char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ToLower(c);
  return lower;
}
/// one == other, but for the case of the letters A to Z.
inline bool EqualFold(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) { return ToLower(a) == ToLower(b); });
}

/// `text` without the ASCII white space at its ends.
inline std::string TrimSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return std::string(text);
}

/// one == other, without a call where they are as short as names of fields, of which an object has
/// a hundred.
inline bool SameText(std::string_view one, std::string_view other) {
  const std::size_t size = one.size();
  if (size != other.size()) return false;
  const char* a = one.data();
  const char* b = other.data();
  const auto same = [a, b]<typename Word>(Word, std::size_t at) {
    Word x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    return x == y;
  };
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) return same(std::uint64_t{}, 0) && same(std::uint64_t{}, size - 8);
  if (size >= 4) return same(std::uint32_t{}, 0) && same(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Words of messages, and words in texts.

/// The texts of a range, in its order, with `separator` between each two.
template <typename Texts>
std::string Join(const Texts& texts, std::string_view separator) {
  std::string joined;
  bool is_first = true;
  for (const auto& text : texts) {
    if (!is_first) joined += separator;
    joined += text;
    is_first = false;
  }
  return joined;
}

/// "1 field", "2 fields".
inline std::string Count(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count).append(" ").append(noun);
  if (count != 1) text += 's';
  return text;
}

/// std::string_view::find in a time that grows with the sum of the two sizes, not with their
/// product.
inline std::size_t FindText(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size() || text.size() - from < part.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace kube::base
