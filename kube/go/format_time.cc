#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "kube/base/text.h"
#include "kube/go/format_checks.h"
#include "kube/go/go_time.h"

namespace kube::go {
namespace {

using kube::base::AreDigits;
using kube::base::IsDigit;
using kube::base::IsLetter;

int ToInt(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

/// "hh:mm" at the start of `text`, with any digits.
bool IsClock(std::string_view text) {
  return text.size() >= 5 && AreDigits(text.substr(0, 2)) && text[2] == ':' &&
         AreDigits(text.substr(3, 2));
}

/// The bytes of the UTF-8 character that `text` starts with.
std::size_t CharacterSize(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

bool IsZone(std::string_view text) {
  return text == "z" ||
         (text.size() == 6 && (text[0] == '+' || text[0] == '-') && IsClock(text.substr(1)));
}

/// A fraction (any character, then digits) may stand before the zone.
bool IsFractionAndZone(std::string_view text) {
  if (IsZone(text)) return true;
  if (text.empty() || text.front() == '\n') return false;
  text.remove_prefix(CharacterSize(text));
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && IsZone(text.substr(digits));
}

bool IsTime(std::string_view text) {
  if (!IsClock(text) || text.size() < 8 || text[5] != ':' || !AreDigits(text.substr(6, 2))) {
    return false;
  }
  return IsFractionAndZone(text.substr(8)) && text.substr(0, 2) <= "23" &&
         text.substr(3, 2) <= "59" && text.substr(6, 2) <= "59";
}

constexpr std::uint64_t kMostNanoseconds = std::uint64_t{1} << 63;

std::optional<std::uint64_t> NanosecondsIn(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return std::nullopt;
}

/// Takes digits from the front of `text`; absent where they are more than 1 << 63.
std::optional<std::uint64_t> TakeInteger(std::string_view& text) {
  std::uint64_t value = 0;
  while (!text.empty() && IsDigit(text.front())) {
    if (value > kMostNanoseconds / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(text.front() - '0');
    if (value > kMostNanoseconds) return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

/// Takes digits after a point from the front of `text`.
double TakeFraction(std::string_view& text) {
  double value = 0;
  double scale = 1;
  for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
    scale /= 10;
    value += scale * (text.front() - '0');
  }
  return value;
}

/// Takes a number with its unit from the front of `text`; absent where there is none.
std::optional<std::uint64_t> TakeDurationPart(std::string_view& text) {
  const std::size_t before = text.size();
  const std::optional<std::uint64_t> whole = TakeInteger(text);
  if (!whole) return std::nullopt;
  bool has_digits = text.size() != before;
  double fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t after_point = text.size();
    fraction = TakeFraction(text);
    has_digits = has_digits || text.size() != after_point;
  }
  const std::size_t end = std::min(text.find_first_of(".0123456789"), text.size());
  const std::optional<std::uint64_t> unit = NanosecondsIn(text.substr(0, end));
  if (!has_digits || !unit || *whole > kMostNanoseconds / *unit) return std::nullopt;
  text.remove_prefix(end);
  return *whole * *unit + static_cast<std::uint64_t>(fraction * static_cast<double>(*unit));
}

/// time.ParseDuration.
bool IsGoDuration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const std::optional<std::uint64_t> part = TakeDurationPart(text);
    if (!part || *part > kMostNanoseconds) return false;
    total += *part;
    if (total > kMostNanoseconds) return false;
  }
  return is_negative || total < kMostNanoseconds;
}

bool IsLooseUnit(std::string_view written) {
  constexpr std::string_view kUnits[] = {"ns", "us", "\u00b5s", "ms", "s", "sec",
                                         "m",  "h",  "hr",      "d",  "w", "wk"};
  constexpr std::string_view kPrefixes[] = {"nano", "micro", "milli", "sec",
                                            "min",  "hour",  "day",   "week"};
  const std::string unit = base::ToLower(written);
  return std::ranges::find(kUnits, unit) != std::end(kUnits) ||
         std::ranges::any_of(kPrefixes,
                             [&unit](std::string_view prefix) { return unit.starts_with(prefix); });
}

/// The letters (or micro signs) at the start of `text`.
std::size_t UnitSize(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    if (IsLetter(text[size])) {
      ++size;
    } else if (text.substr(size).starts_with("\u00b5")) {
      size += 2;
    } else {
      break;
    }
  }
  return size;
}

bool FitsInt64(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.size() < 19 || (digits.size() == 19 && digits <= "9223372036854775807");
}

/// "2 days and 3 hours": something in it must be a number with a unit.
bool IsLooseDuration(std::string_view text) {
  bool found = false;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string_view rest = text.substr(digits);
    rest.remove_prefix(std::min(rest.find_first_not_of("\t\n\f\r "), rest.size()));
    const std::size_t unit = UnitSize(rest);
    if (unit > 0 && !FitsInt64(text.substr(0, digits))) return false;
    found = found || (unit > 0 && IsLooseUnit(rest.substr(0, unit)));
    text = rest.substr(unit);
  }
  return found;
}

}  // namespace

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !AreDigits(text.substr(0, 4)) ||
      !AreDigits(text.substr(5, 2)) || !AreDigits(text.substr(8, 2))) {
    return false;
  }
  const int month = ToInt(text.substr(5, 2));
  const int day = ToInt(text.substr(8, 2));
  return month >= 1 && month <= 12 && day >= 1 &&
         day <= DaysInMonth(ToInt(text.substr(0, 4)), month);
}

bool IsDateTime(std::string_view text) {
  const std::string lower = base::ToLower(text);
  const std::size_t date_end = lower.find('t');
  if (date_end == std::string::npos) return false;
  // The server looks at what is between the first and the second t only.
  const std::size_t time_end = std::min(lower.find('t', date_end + 1), lower.size());
  const std::string_view view = lower;
  return IsDate(view.substr(0, date_end)) &&
         IsTime(view.substr(date_end + 1, time_end - date_end - 1));
}

bool IsDuration(std::string_view text) { return IsGoDuration(text) || IsLooseDuration(text); }

}  // namespace kube::go
