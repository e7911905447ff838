#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "kube/base/text.h"
#include "kube/go/format_checks.h"
#include "kube/go/go_duration.h"
#include "kube/go/go_time.h"

namespace kube::go {
namespace {

using kube::base::AreDigits;
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

/// The units of strfmt.ParseDuration: the words that are one, and what others begin with.
struct LooseUnit {
  std::array<std::string_view, 2> words;
  std::string_view prefix;
  std::int64_t nanoseconds;
};

constexpr std::int64_t kSecond = 1000000000;
constexpr LooseUnit kLooseUnits[] = {{{"ns", "ns"}, "nano", 1},
                                     {{"us", "\u00b5s"}, "micro", 1000},
                                     {{"ms", "ms"}, "milli", 1000000},
                                     {{"s", "s"}, "sec", kSecond},
                                     {{"m", "m"}, "min", 60 * kSecond},
                                     {{"h", "hr"}, "hour", 3600 * kSecond},
                                     {{"d", "d"}, "day", 86400 * kSecond},
                                     {{"w", "wk"}, "week", 604800 * kSecond}};

/// Null where it is none.
const LooseUnit* FindLooseUnit(std::string_view written) {
  const std::string unit = base::ToLower(written);
  const auto found = std::ranges::find_if(kLooseUnits, [&](const LooseUnit& known) {
    return known.words[0] == unit || known.words[1] == unit || unit.starts_with(known.prefix);
  });
  return found == std::end(kLooseUnits) ? nullptr : &*found;
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

std::optional<std::int64_t> ParseFactor(std::string_view digits) {
  std::int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// Whatever is written between the numbers with units does not count. Sums overflow as Go's do.
std::optional<std::int64_t> ParseLooseDuration(std::string_view text) {
  std::uint64_t sum = 0;
  bool found = false;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string_view rest = text.substr(digits);
    rest.remove_prefix(std::min(rest.find_first_not_of("\t\n\f\r "), rest.size()));
    const std::size_t unit_size = UnitSize(rest);
    if (unit_size > 0) {
      const auto factor = ParseFactor(text.substr(0, digits));
      if (!factor) return std::nullopt;
      if (const LooseUnit* unit = FindLooseUnit(rest.substr(0, unit_size))) {
        found = true;
        sum += static_cast<std::uint64_t>(*factor) * static_cast<std::uint64_t>(unit->nanoseconds);
      }
    }
    text = rest.substr(unit_size);
  }
  return found ? std::optional(static_cast<std::int64_t>(sum)) : std::nullopt;
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

std::optional<std::int64_t> ParseFormatDuration(std::string_view text) {
  if (const auto duration = ParseGoDuration(text)) return duration->count();
  return ParseLooseDuration(text);
}

bool IsDuration(std::string_view text) { return ParseFormatDuration(text).has_value(); }

}  // namespace kube::go
