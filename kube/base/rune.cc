#include "kube/base/rune.h"

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
