#include "kube/cel/time.h"

#include <cstdio>

#include "kube/base/text.h"
#include "kube/cel/numbers.h"
#include "kube/go/go_format.h"
#include "kube/go/go_time.h"

namespace kube::cel {
namespace {

constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::int64_t kNanosPerSecond = 1000000000;

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The seconds of a clock in a zone; of times that no timestamp can be, those of UTC.
std::int64_t LocalSeconds(std::int64_t seconds, std::int64_t zone) {
  std::int64_t local = 0;
  return __builtin_add_overflow(seconds, zone, &local) ? seconds : local;
}

/// The digits of a fraction of `nanoseconds` without zeros at the end; with the point, empty for 0.
std::string Fraction(std::uint32_t nanoseconds) {
  if (nanoseconds == 0) return "";
  char digits[16];
  std::snprintf(digits, sizeof digits, ".%09u", nanoseconds);
  std::string text = digits;
  while (text.back() == '0') text.pop_back();
  return text;
}

/// A number of two digits from `low` to `high`.
bool InRange(std::string_view digits, int low, int high) {
  if (!base::AreDigits(digits)) return false;
  const int value = (digits[0] - '0') * 10 + digits[1] - '0';
  return value >= low && value <= high;
}

/// The form of RFC 3339, as cel-go checks it beyond what Go's time.Parse does.
bool IsStrict(std::string_view text) {
  if (text.size() < 20 || !base::AreDigits(text.substr(0, 4)) || text[4] != '-' ||
      !InRange(text.substr(5, 2), 1, 12) || text[7] != '-' || !InRange(text.substr(8, 2), 1, 31) ||
      (text[10] != 'T' && text[10] != 't') || !InRange(text.substr(11, 2), 0, 23) ||
      text[13] != ':' || !InRange(text.substr(14, 2), 0, 59) || text[16] != ':' ||
      !InRange(text.substr(17, 2), 0, 60)) {
    return false;
  }
  std::string_view rest = text.substr(19);
  if (rest[0] == '.') {
    const std::size_t end = base::SkipDigits(rest, 1);
    if (end == 1) return false;
    rest.remove_prefix(end);
  }
  if (rest.size() == 1) return rest[0] == 'Z' || rest[0] == 'z';
  return rest.size() == 6 && (rest[0] == '+' || rest[0] == '-') &&
         InRange(rest.substr(1, 2), 0, 23) && rest[3] == ':' && InRange(rest.substr(4, 2), 0, 59);
}

}  // namespace

CalendarTime ToCalendar(std::int64_t seconds, std::int64_t zone) {
  const std::int64_t local = LocalSeconds(seconds, zone);
  const std::int64_t day_number = FloorDiv(local, kSecondsPerDay);
  const auto rest = static_cast<int>(local - day_number * kSecondsPerDay);
  const go::Civil date = go::CivilFromDays(day_number);
  CalendarTime time{};
  time.year = date.year;
  time.month = date.month;
  time.day = date.day;
  time.hour = rest / 3600;
  time.minute = rest / 60 % 60;
  time.second = rest % 60;
  const bool is_leap = go::IsLeapYear(time.year);
  static constexpr int kBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  time.day_of_year = kBefore[time.month - 1] + time.day + (is_leap && time.month > 2 ? 1 : 0);
  time.day_of_week = static_cast<int>(((day_number % 7) + 11) % 7);
  return time;
}

std::string FormatTimestamp(const Value& timestamp) {
  std::string out = go::FormatGoTime({LocalSeconds(timestamp.integer, timestamp.zone), 0});
  out.pop_back();  // the Z
  out += Fraction(timestamp.size);
  if (timestamp.zone == 0) return out += 'Z';
  char text[64];
  const std::int64_t minutes = (timestamp.zone < 0 ? -timestamp.zone : timestamp.zone) / 60;
  std::snprintf(text, sizeof text, "%c%02lld:%02lld", timestamp.zone < 0 ? '-' : '+',
                static_cast<long long>(minutes / 60), static_cast<long long>(minutes % 60));
  return out += text;
}

std::string FormatGoDuration(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  const bool is_negative = nanoseconds < 0;
  std::uint64_t rest = is_negative ? ~static_cast<std::uint64_t>(nanoseconds) + 1
                                   : static_cast<std::uint64_t>(nanoseconds);
  std::string out = is_negative ? "-" : "";
  if (rest < std::uint64_t{kNanosPerSecond}) {
    // Below a second the unit is the largest that leaves a whole part.
    const std::uint64_t unit = rest < 1000 ? 1 : rest < 1000000 ? 1000 : 1000000;
    out += std::to_string(rest / unit);
    out += Fraction(static_cast<std::uint32_t>(rest % unit * (kNanosPerSecond / unit)));
    return out += unit == 1 ? "ns" : unit == 1000 ? "\xC2\xB5s" : "ms";
  }
  const std::uint64_t seconds = rest / kNanosPerSecond;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  return out + std::to_string(seconds % 60) +
         Fraction(static_cast<std::uint32_t>(rest % kNanosPerSecond)) + "s";
}

std::string FormatSeconds(std::int64_t nanoseconds) {
  // As Go: whole seconds and the rest become one float64.
  const double seconds = static_cast<double>(nanoseconds / kNanosPerSecond) +
                         static_cast<double>(nanoseconds % kNanosPerSecond) / 1e9;
  return FormatFixed(seconds);
}

std::int64_t ZoneOfText(std::string_view text) {
  if (text.size() < 6) return 0;
  const std::string_view zone = text.substr(text.size() - 6);
  if (zone[0] != '+' && zone[0] != '-') return 0;
  const auto digit = [&](std::size_t at) { return zone[at] - '0'; };
  const std::int64_t seconds = (digit(1) * 10 + digit(2)) * 3600 + (digit(4) * 10 + digit(5)) * 60;
  return zone[0] == '-' ? -seconds : seconds;
}

base::Result<Value, std::string> ParseTimestamp(std::string_view text) {
  if (!IsStrict(text)) {
    return base::Unexpected("invalid RFC 3339 timestamp " + go::GoQuote(text));
  }
  const auto time = go::ParseGoTime(text);
  if (!time) {
    return base::Unexpected(
        std::string("type conversion error from 'string' to 'google.protobuf.Timestamp'"));
  }
  if (time->unix_seconds < kFirstSecond || time->unix_seconds > kLastSecond) {
    return base::Unexpected(std::string("timestamp overflow"));
  }
  return Value::Timestamp(time->unix_seconds, static_cast<std::uint32_t>(time->nanoseconds),
                          ZoneOfText(text));
}

Value AddToTimestamp(const Value& timestamp, std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / kNanosPerSecond;
  std::int64_t nanos = timestamp.size + nanoseconds % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  } else if (nanos >= kNanosPerSecond) {
    nanos -= kNanosPerSecond;
    ++seconds;
  }
  if (__builtin_add_overflow(seconds, timestamp.integer, &seconds)) {
    return Value::Error("integer overflow");
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return Value::Error("timestamp overflow");
  return Value::Timestamp(seconds, static_cast<std::uint32_t>(nanos), timestamp.zone);
}

}  // namespace kube::cel
