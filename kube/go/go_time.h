#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/base/result.h"

/// RFC 3339 times as Go's package time reads and prints them.
namespace kube::go {

/// A day of the proleptic Gregorian calendar.
struct Civil {
  std::int64_t year;
  int month;  ///< from 1
  int day;    ///< from 1
};
/// The day that is so many days after 1970-01-01.
Civil CivilFromDays(std::int64_t days);
bool IsLeapYear(std::int64_t year);
/// Of a month from 1 to 12.
int DaysInMonth(std::int64_t year, int month);

/// An instant.
struct GoTime {
  std::int64_t unix_seconds;  ///< rounded down
  std::int32_t nanoseconds;   ///< 0 to 999,999,999 after unix_seconds

  /// True for January 1 of the year 1, 00:00:00 UTC, which Go takes for "no time".
  bool IsZero() const;
};

/// Layouts of Go's package time.
enum class GoLayout {
  kRfc3339,  ///< time.RFC3339
  kLocal,    ///< "2006-01-02T15:04:05": of no zone, taken for UTC
  kDate,     ///< "2006-01-02"
};

/// time.Parse(layout, text). RFC3339 is laxer than RFC 3339: the hour may have one digit, a comma
/// may stand before a fraction. The error is Go's text, e.g. `parsing time
/// "2020-13-01T00:00:00Z": month out of range`.
base::Result<GoTime, std::string> ParseGoTime(std::string_view text,
                                              GoLayout layout = GoLayout::kRfc3339);

/// The time in UTC, cut to seconds, e.g. "2020-01-02T03:04:05Z". Years before 0 and beyond 9999,
/// which an offset can lead to, are printed as Go does: "-0001-...", "10000-...".
std::string FormatGoTime(const GoTime& time);

}  // namespace kube::go
