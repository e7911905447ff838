#include <algorithm>
#include <string>

#include "kube/base/text.h"
#include "kube/go/format_checks.h"
#include "kube/go/go_regexp.h"

namespace kube::go {
namespace {

using kube::base::AreDigits;
using kube::base::IsDigit;
using kube::base::IsHexDigit;

bool AreHexDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsHexDigit);
}

std::string KeepDigits(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), IsDigit);
  return digits;
}

std::string WithoutSpacesAndMinus(std::string_view text) {
  std::string rest(text);
  std::erase_if(rest, [](char c) {
    return std::string_view("\t\n\f\r -").find(c) != std::string_view::npos;
  });
  return rest;
}

bool PassesLuhn(std::string_view digits) {
  int sum = 0;
  bool doubled = false;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, doubled = !doubled) {
    const int value = (*digit - '0') * (doubled ? 2 : 1);
    sum += value >= 10 ? value % 10 + 1 : value;
  }
  return sum % 10 == 0;
}

/// A UUID whose groups may be joined by a dash; `hex` gets its 32 digits in lower case.
bool ReadUuid(std::string_view text, std::string& hex) {
  for (const std::size_t group : {8U, 4U, 4U, 4U, 12U}) {
    if (!hex.empty() && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < group || !AreHexDigits(text.substr(0, group))) return false;
    hex += text.substr(0, group);
    text.remove_prefix(group);
  }
  std::transform(hex.begin(), hex.end(), hex.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text.empty();
}

bool IsUuidOf(std::string_view text, char version, bool checks_variant) {
  std::string hex;
  return ReadUuid(text, hex) && hex[12] == version &&
         (!checks_variant || std::string_view("89ab").find(hex[16]) != std::string_view::npos);
}

}  // namespace

bool IsBsonObjectId(std::string_view text) { return text.size() == 24 && AreHexDigits(text); }

bool IsByte(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

bool IsCreditCard(std::string_view text) {
  const std::string digits = KeepDigits(text);
  static const GoMatcher kCard(
      "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|"
      "3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$");
  return kCard.Matches(digits).value_or(true) && PassesLuhn(digits);
}

bool IsHexColor(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && AreHexDigits(text);
}

bool IsHostname(std::string_view text) {
  if (text.size() > 255) return false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t label = std::min(rest.find('.'), rest.size());
    if (label > 63) return false;
    rest.remove_prefix(std::min(label + 1, rest.size()));
  }
  static const GoMatcher kHostname(
      "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|"
      "([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}"
      "([a-zA-Z\\p{L}]){2,63})$");
  return kHostname.Matches(text).value_or(true);
}

bool IsIsbn10(std::string_view text) {
  const std::string isbn = WithoutSpacesAndMinus(text);
  if (isbn.size() != 10 || !AreDigits(std::string_view(isbn).substr(0, 9))) return false;
  if (!IsDigit(isbn[9]) && isbn[9] != 'X') return false;
  int sum = 10 * (isbn[9] == 'X' ? 10 : isbn[9] - '0');
  for (std::size_t i = 0; i < 9; ++i) sum += static_cast<int>(i + 1) * (isbn[i] - '0');
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string isbn = WithoutSpacesAndMinus(text);
  if (isbn.size() != 13 || !AreDigits(isbn)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (isbn[i] - '0');
  return isbn[12] - '0' == (10 - sum % 10) % 10;
}

bool IsRgbColor(std::string_view text) {
  static const GoMatcher kColor(
      "^rgb\\(\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,"
      "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,"
      "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*\\)$");
  return kColor.Matches(text).value_or(true);
}

bool IsSsn(std::string_view text) {
  const auto is_separator = [](char c) { return c == '-' || c == ' '; };
  return text.size() == 11 && AreDigits(text.substr(0, 3)) && is_separator(text[3]) &&
         AreDigits(text.substr(4, 2)) && is_separator(text[6]) && AreDigits(text.substr(7));
}

bool IsUuid(std::string_view text) {
  std::string hex;
  return ReadUuid(text, hex);
}

bool IsUuid3(std::string_view text) { return IsUuidOf(text, '3', false); }
bool IsUuid4(std::string_view text) { return IsUuidOf(text, '4', true); }
bool IsUuid5(std::string_view text) { return IsUuidOf(text, '5', true); }

}  // namespace kube::go
