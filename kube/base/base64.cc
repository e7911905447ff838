#include "kube/base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kube::base {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t kInvalid = 0xff;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kInvalid);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

std::uint8_t DigitOf(char sign, Base64Alphabet alphabet) {
  if (alphabet == Base64Alphabet::kUrl) {
    if (sign == '+' || sign == '/') return kInvalid;
    if (sign == '-') sign = '+';
    if (sign == '_') sign = '/';
  }
  return kDigits[static_cast<unsigned char>(sign)];
}

Unexpected<std::string> Illegal(std::size_t offset) {
  return Unexpected("illegal base64 data at input byte " + std::to_string(offset));
}

std::size_t SkipLineBreaks(std::string_view text, std::size_t offset) {
  while (offset < text.size() && (text[offset] == '\n' || text[offset] == '\r')) ++offset;
  return offset;
}

}  // namespace

Result<std::string, std::string> DecodeBase64(std::string_view text, Base64Alphabet alphabet) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t digits = 0;  // of the group of four that is being read
  std::size_t offset = SkipLineBreaks(text, 0);
  for (; offset < text.size() && text[offset] != '='; offset = SkipLineBreaks(text, offset + 1)) {
    const std::uint8_t digit = DigitOf(text[offset], alphabet);
    if (digit == kInvalid) return Illegal(offset);
    bits = bits << 6 | digit;
    if (++digits < 4) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xff);
    digits = 0;
  }
  if (offset == text.size()) {
    if (digits == 0) return bytes;
    return Illegal(text.size() - digits);
  }
  if (digits < 2) return Illegal(offset);
  if (digits == 2) {
    const std::size_t second = SkipLineBreaks(text, offset + 1);
    if (second == text.size()) return Illegal(text.size());
    if (text[second] != '=') return Illegal(second - 1);  // as Go counts
    offset = second;
  }
  const std::size_t end = SkipLineBreaks(text, offset + 1);
  if (end != text.size()) return Illegal(end);
  bytes += static_cast<char>(bits >> (digits == 2 ? 4 : 10) & 0xff);
  if (digits == 3) bytes += static_cast<char>(bits >> 2 & 0xff);
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < size ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= size ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
    bytes.remove_prefix(size);
  }
  return text;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  text.erase(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

}  // namespace kube::base
