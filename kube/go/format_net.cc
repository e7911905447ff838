#include <array>
#include <charconv>
#include <cstddef>

#include "kube/base/text.h"
#include "kube/go/format_checks.h"

namespace kube::go {
namespace {

using kube::base::IsDigit;
using kube::base::IsHexDigit;

constexpr std::size_t kIpv6Bytes = 16;
constexpr std::size_t kIpv4Bytes = 4;

/// Takes a number of at most `limit` from the front of `text`; false where there is none.
bool TakeNumber(std::string_view& text, unsigned limit, bool allow_leading_zeros) {
  unsigned value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && IsDigit(text[digits]); ++digits) {
    if (digits == 1 && value == 0 && text[0] == '0' && !allow_leading_zeros) return false;
    value = value * 10 + static_cast<unsigned>(text[digits] - '0');
    if (value > limit) return false;
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool IsDottedIpv4(std::string_view text, bool allow_leading_zeros) {
  for (std::size_t i = 0; i < kIpv4Bytes; ++i) {
    if (i > 0) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
    if (!TakeNumber(text, 255, allow_leading_zeros)) return false;
  }
  return text.empty();
}

std::size_t CountHexDigits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && IsHexDigit(text[count])) ++count;
  return count;
}

/// True if a group has at most 16 bits; the sloppy parser of k8s.io/utils allows zeros before them.
bool IsHexGroup(std::string_view digits, bool allow_leading_zeros) {
  if (digits.empty()) return false;
  if (allow_leading_zeros) {
    const std::size_t first = digits.find_first_not_of('0');
    digits.remove_prefix(first == std::string_view::npos ? digits.size() : first);
  }
  return digits.size() <= 4;
}

/// The groups of an IPv6 address after a leading "::", which was seen if `has_ellipsis`.
bool IsIpv6Groups(std::string_view text, bool has_ellipsis, bool allow_leading_zeros) {
  std::size_t bytes = 0;
  while (bytes < kIpv6Bytes) {
    const std::size_t digits = CountHexDigits(text);
    if (!IsHexGroup(text.substr(0, digits), allow_leading_zeros)) return false;
    if (digits < text.size() && text[digits] == '.') {
      const bool fits =
          has_ellipsis ? bytes + kIpv4Bytes <= kIpv6Bytes : bytes == kIpv6Bytes - kIpv4Bytes;
      if (!fits || !IsDottedIpv4(text, allow_leading_zeros)) return false;
      text = {};
      bytes += kIpv4Bytes;
      break;
    }
    bytes += 2;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (!text.starts_with(':') || text.size() == 1) return false;
    text.remove_prefix(1);
    if (text.starts_with(':')) {
      if (has_ellipsis) return false;
      has_ellipsis = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  return text.empty() && (bytes < kIpv6Bytes) == has_ellipsis;
}

bool HasOnlyHexBytes(std::string_view text, std::size_t group, char separator) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool at_separator = group != 0 && i % (group + 1) == group;
    if (at_separator ? text[i] != separator : !IsHexDigit(text[i])) return false;
  }
  return true;
}

bool IsMacLength(std::size_t bytes) { return bytes == 6 || bytes == 8 || bytes == 20; }

/// Without a zone. With `allow_leading_zeros` the dotted part at its end may have them.
bool IsIpv6Address(std::string_view text, bool allow_leading_zeros) {
  const bool has_ellipsis = text.starts_with("::");
  if (has_ellipsis) text.remove_prefix(2);
  if (has_ellipsis && text.empty()) return true;
  return IsIpv6Groups(text, has_ellipsis, allow_leading_zeros);
}

}  // namespace

bool IsIp(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:");
  if (mark == std::string_view::npos) return false;
  return text[mark] == '.' ? IsDottedIpv4(text, false) : IsIpv6Address(text, false);
}

bool IsIpv4(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:");
  if (mark == std::string_view::npos || text.find('.') == std::string_view::npos) return false;
  return text[mark] == '.' ? IsDottedIpv4(text, true) : IsIpv6Address(text, true);
}

bool IsIpv6(std::string_view text) {
  return text.find(':') != std::string_view::npos && IsIp(text);
}

bool IsCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  std::string_view mask = text.substr(slash + 1);
  const bool is_ipv4 = IsDottedIpv4(address, true);
  if (!is_ipv4 && !IsIpv6Address(address, true)) return false;
  return TakeNumber(mask, is_ipv4 ? 32 : 128, true) && mask.empty();
}

bool IsMac(std::string_view text) {
  if (text.size() < 12) return false;
  if (text[2] == ':' || text[2] == '-') {
    return (text.size() + 1) % 3 == 0 && IsMacLength((text.size() + 1) / 3) &&
           HasOnlyHexBytes(text, 2, text[2]);
  }
  if (text[4] == '.') {
    return (text.size() + 1) % 5 == 0 && IsMacLength(2 * (text.size() + 1) / 5) &&
           HasOnlyHexBytes(text, 4, '.');
  }
  return text.size() % 2 == 0 && IsMacLength(text.size() / 2) && HasOnlyHexBytes(text, 0, ' ');
}

}  // namespace kube::go
