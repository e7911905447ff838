#include "kube/base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kube::base {
namespace {

constexpr Rune kBadByte = {kReplacementCharacter, 1};

/// The number of bytes that `lead` promises; 0 if no character starts with it.
std::size_t LengthFromLead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

/// False for surrogates and for what a shorter sequence could say.
bool IsProper(char32_t value, std::size_t length) {
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF) return false;
  return value < 0xD800 || value > 0xDFFF;
}

}  // namespace

Rune DecodeRune(std::string_view text) {
  if (text.empty()) return {kReplacementCharacter, 0};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = LengthFromLead(lead);
  if (length == 1) return {lead, 1};
  if (length == 0 || text.size() < length) return kBadByte;
  char32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return kBadByte;
    value = (value << 6U) | (next & 0x3FU);
  }
  return IsProper(value, length) ? Rune{value, length} : kBadByte;
}

}  // namespace kube::base

namespace kube::base::utf8 {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Many bytes at a time: custom resources are nearly all ASCII.
std::size_t AsciiPrefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  constexpr std::size_t kStep = 4 * sizeof(std::uint64_t);
  std::size_t i = 0;
  for (; i + kStep <= text.size(); i += kStep) {
    std::uint64_t words[4];
    std::memcpy(words, text.data() + i, kStep);
    if ((words[0] | words[1] | words[2] | words[3]) & kHighBits) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

std::size_t SequenceLength(std::string_view text) {
  const Rune rune = DecodeRune(text);
  return rune.IsBad() ? 0 : rune.size;
}

bool IsValid(std::string_view text) {
  while (true) {
    text.remove_prefix(AsciiPrefix(text));
    if (text.empty()) return true;
    const std::size_t length = SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

std::int64_t CountCharacters(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::string_view Prefix(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

std::string Shortened(std::string_view text, std::size_t limit) {
  std::string shortened(Prefix(text, limit));
  if (shortened.size() < text.size()) shortened += "...";
  return shortened;
}

std::size_t ControlLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x20 || byte == 0x7F) return 1;
  // UTF-8 writes C1 as C2 80 to C2 9F.
  const bool may_be_c1 = byte == 0xC2 && text.size() > 1;
  return may_be_c1 && (static_cast<unsigned char>(text[1]) & 0xE0) == 0x80 ? 2 : 0;
}

std::size_t SteeringLength(std::string_view text) {
  if (const std::size_t length = ControlLength(text)) return length;
  const Rune rune = DecodeRune(text);
  if (text.empty() || rune.IsBad()) return 0;
  const char32_t c = rune.value;
  const bool steers = c == 0x061C                      // Arabic letter mark
                      || c == 0x200E || c == 0x200F    // left-to-right and right-to-left marks
                      || (c >= 0x2028 && c <= 0x202E)  // separators, embeddings, overrides
                      || (c >= 0x2066 && c <= 0x2069)  // isolates
                      || c == 0xFEFF;                  // zero width no-break space
  return steers ? rune.size : 0;
}

std::string Sanitize(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    out.append(length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

void Append(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace kube::base::utf8
