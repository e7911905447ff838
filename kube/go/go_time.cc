#include "kube/go/go_time.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace kube::go {
namespace {

constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::int64_t kZeroTime = -62135596800;  // 0001-01-01T00:00:00Z

std::string_view TextOf(GoLayout layout) {
  switch (layout) {
    case GoLayout::kLocal:
      return "2006-01-02T15:04:05";
    case GoLayout::kDate:
      return "2006-01-02";
    default:
      return "2006-01-02T15:04:05Z07:00";
  }
}

/// Days from 1970-01-01, in the proleptic Gregorian calendar. Counts years from March, so that the
/// leap day is the last of its year.
std::int64_t DaysFromCivil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

/// Package time has a quoting of its own: whatever is no printable ASCII goes byte by byte, but
/// 0x7F stays.
std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x80 || byte < ' ') {
      out += "\\x";
      out += "0123456789abcdef"[byte >> 4U];
      out += "0123456789abcdef"[byte & 0xFU];
      continue;
    }
    if (character == '"' || character == '\\') out += '\\';
    out += character;
  }
  return out += '"';
}

bool IsDigitAt(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

/// Two digits as a number; absent where they are none.
std::optional<int> TwoDigits(std::string_view text) {
  if (!IsDigitAt(text, 0) || !IsDigitAt(text, 1)) return std::nullopt;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

/// Reads a time from left to right, in the order and with the messages of Go's time.parse (Go 1.20
/// and later: an element that cannot be parsed is quoted from its start to the end of the text).
class TimeParser {
 public:
  TimeParser(std::string_view text, GoLayout layout) : text_(text), layout_(layout), rest_(text) {}

  base::Result<GoTime, std::string> Parse() {
    const bool parsed = ParseDate() && (layout_ == GoLayout::kDate || ParseClock()) &&
                        (layout_ != GoLayout::kRfc3339 || ParseZone()) && CheckEnd();
    if (!parsed) return base::Unexpected(std::move(error_));
    std::int64_t seconds = DaysFromCivil(year_, month_, day_) * kSecondsPerDay;
    seconds += hour_ * 3600 + minute_ * 60 + second_ - zone_offset_;
    return GoTime{seconds, nanoseconds_};
  }

 private:
  bool ParseDate() {
    return ParseYear() && Skip("-") && ParseNumber("01", month_) &&
           CheckRange(month_ >= 1 && month_ <= 12, "month") && Skip("-") && ParseNumber("02", day_);
  }

  bool ParseClock() {
    return Skip("T") && ParseHour() && Skip(":") && ParseNumber("04", minute_) &&
           CheckRange(minute_ < 60, "minute") && Skip(":") && ParseNumber("05", second_) &&
           CheckRange(second_ < 60, "second") && ParseFraction();
  }

  bool ParseYear() {
    for (std::size_t i = 0; i < 4; ++i) {
      if (!IsDigitAt(rest_, i)) return FailToParse("2006");
    }
    year_ = *TwoDigits(rest_) * 100 + *TwoDigits(rest_.substr(2));
    rest_.remove_prefix(4);
    return true;
  }

  bool ParseNumber(std::string_view element, int& number) {
    const std::optional<int> value = TwoDigits(rest_);
    if (!value) return FailToParse(element);
    number = *value;
    rest_.remove_prefix(2);
    return true;
  }

  bool ParseHour() {
    if (IsDigitAt(rest_, 0) && !IsDigitAt(rest_, 1)) {
      hour_ = rest_[0] - '0';
      rest_.remove_prefix(1);
      return true;
    }
    return ParseNumber("15", hour_) && CheckRange(hour_ < 24, "hour");
  }

  /// Any number of digits may follow; those beyond nanoseconds are cut off.
  bool ParseFraction() {
    if (rest_.empty() || (rest_[0] != '.' && rest_[0] != ',') || !IsDigitAt(rest_, 1)) return true;
    std::size_t digits = 0;
    while (IsDigitAt(rest_, digits + 1)) ++digits;
    for (std::size_t i = 1; i <= 9; ++i) {
      nanoseconds_ = nanoseconds_ * 10 + (i <= digits ? rest_[i] - '0' : 0);
    }
    rest_.remove_prefix(digits + 1);
    return true;
  }

  bool ParseZone() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    if (rest_.size() < 6 || rest_[3] != ':') return FailToParse("Z07:00");
    const std::string_view zone = rest_.substr(0, 6);
    const std::optional<int> hours = TwoDigits(zone.substr(1));
    const std::optional<int> minutes = hours ? TwoDigits(zone.substr(4)) : std::nullopt;
    const int hour_offset = hours.value_or(0);
    const int minute_offset = minutes.value_or(0);
    // Go lets an offset of 24 hours or 60 minutes pass. A bad minute wins over a bad hour, a number
    // out of range over a letter or sign that is wrong.
    if (!CheckRange(minute_offset <= 60, "time zone offset minute")) return false;
    if (!CheckRange(hour_offset <= 24, "time zone offset hour")) return false;
    if (!minutes || (zone[0] != '+' && zone[0] != '-')) return FailToParse("Z07:00");
    zone_offset_ = (hour_offset * 60 + minute_offset) * (zone[0] == '-' ? -60 : 60);
    rest_.remove_prefix(6);
    return true;
  }

  /// Go looks at the day of the month last, even after what follows the time.
  bool CheckEnd() {
    if (!rest_.empty()) return Fail(": extra text: " + Quote(rest_));
    return CheckRange(day_ >= 1 && day_ <= DaysInMonth(year_, month_), "day");
  }

  bool Skip(std::string_view separator) {
    if (!rest_.starts_with(separator)) return FailToParse(separator);
    rest_.remove_prefix(separator.size());
    return true;
  }

  bool CheckRange(bool in_range, std::string_view what) {
    return in_range || Fail(": " + std::string(what) + " out of range");
  }

  bool FailToParse(std::string_view element) {
    return Fail(" as " + Quote(TextOf(layout_)) + ": cannot parse " + Quote(rest_) + " as " +
                Quote(element));
  }

  bool Fail(std::string_view message) {
    error_ = "parsing time " + Quote(text_);
    error_ += message;
    return false;
  }

  std::string_view text_;
  GoLayout layout_;
  std::string_view rest_;  // what is not read yet
  std::string error_;
  int year_ = 0;
  int month_ = 0;
  int day_ = 0;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  std::int32_t nanoseconds_ = 0;
  int zone_offset_ = 0;  // in seconds
};

}  // namespace

bool IsLeapYear(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int DaysInMonth(std::int64_t year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

Civil CivilFromDays(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted = static_cast<int>((5 * day_of_year + 2) / 153);  // 0 is March
  const int month = shifted < 10 ? shifted + 3 : shifted - 9;
  const auto day = static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

bool GoTime::IsZero() const { return unix_seconds == kZeroTime && nanoseconds == 0; }

base::Result<GoTime, std::string> ParseGoTime(std::string_view text, GoLayout layout) {
  return TimeParser(text, layout).Parse();
}

std::string FormatGoTime(const GoTime& time) {
  std::int64_t days = time.unix_seconds / kSecondsPerDay;
  std::int64_t seconds = time.unix_seconds % kSecondsPerDay;
  if (seconds < 0) {
    seconds += kSecondsPerDay;
    --days;
  }
  const Civil date = CivilFromDays(days);
  std::array<char, 64> buffer;
  // Go pads the digits of a year, not its sign.
  const int length = std::snprintf(
      buffer.data(), buffer.size(), "%s%04lld-%02d-%02dT%02d:%02d:%02dZ", date.year < 0 ? "-" : "",
      static_cast<long long>(date.year < 0 ? -date.year : date.year), date.month, date.day,
      static_cast<int>(seconds / 3600), static_cast<int>(seconds / 60 % 60),
      static_cast<int>(seconds % 60));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace kube::go
