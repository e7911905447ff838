#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/cel/value.h"

/// Durations and timestamps.
namespace kube::cel {

/// The seconds since 1970 of the first and the last second that a timestamp can be.
inline constexpr std::int64_t kFirstSecond = -62135596800;
inline constexpr std::int64_t kLastSecond = 253402300799;

/// A time of a calendar, in some zone.
struct CalendarTime {
  std::int64_t year;
  int month;  ///< from 1
  int day;    ///< from 1
  int hour;
  int minute;
  int second;
  int day_of_year;  ///< from 1
  int day_of_week;  ///< 0 is Sunday
};

CalendarTime ToCalendar(std::int64_t seconds, std::int64_t zone);

/// "2024-02-29T23:59:59.5Z", "...+05:30": time.RFC3339Nano in the zone of the timestamp.
std::string FormatTimestamp(const Value& timestamp);
/// time.Duration's String: "1h30m0s", "1.5s".
std::string FormatGoDuration(std::int64_t nanoseconds);
/// The seconds with as few digits as they take, without the s: "5400", "0.001".
std::string FormatSeconds(std::int64_t nanoseconds);

/// The zone that an RFC 3339 text ends with, in seconds east of UTC; 0 where it has none.
std::int64_t ZoneOfText(std::string_view text);
/// timestamp('...'): RFC 3339, strictly. The error is cel-go's.
base::Result<Value, std::string> ParseTimestamp(std::string_view text);

/// Seconds east of UTC of a zone at a time: of an offset as "+05:30", of an IANA name as
/// "Europe/Berlin" by the system's tzdata, "UTC", "" or "Local". The error is Go's; where there is
/// no tzdata at all, one that says so.
base::Result<std::int64_t, std::string> ZoneOffset(std::string_view zone, std::int64_t seconds);

/// A timestamp that is so much later; an error beyond what a timestamp can be.
Value AddToTimestamp(const Value& timestamp, std::int64_t nanoseconds);

}  // namespace kube::cel
