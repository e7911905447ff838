// getHours() and the other parts of timestamps and durations.
#include <vector>

#include "kube/cel/function.h"
#include "kube/cel/time.h"

namespace kube::cel {
namespace {

using Part = std::int64_t (*)(const CalendarTime& time, std::uint32_t nanoseconds);

std::int64_t Year(const CalendarTime& t, std::uint32_t) { return t.year; }
std::int64_t Month(const CalendarTime& t, std::uint32_t) { return t.month - 1; }
std::int64_t DayOfYear(const CalendarTime& t, std::uint32_t) { return t.day_of_year - 1; }
std::int64_t DayOfMonth(const CalendarTime& t, std::uint32_t) { return t.day - 1; }
std::int64_t Date(const CalendarTime& t, std::uint32_t) { return t.day; }
std::int64_t DayOfWeek(const CalendarTime& t, std::uint32_t) { return t.day_of_week; }
std::int64_t Hours(const CalendarTime& t, std::uint32_t) { return t.hour; }
std::int64_t Minutes(const CalendarTime& t, std::uint32_t) { return t.minute; }
std::int64_t Seconds(const CalendarTime& t, std::uint32_t) { return t.second; }
std::int64_t Milliseconds(const CalendarTime&, std::uint32_t n) { return n / 1000000; }

/// A part of a timestamp in UTC, or in the zone that the second argument names.
template <Part part>
Value Get(Memory& memory, Args args) {
  std::int64_t zone = 0;
  if (args.size() == 2) {
    // To look for a zone takes far longer than to look at a value, if it is none.
    memory.Visit(100);
    auto offset = ZoneOffset(args[1].text(), args[0].integer);
    if (!offset) return memory.Error(offset.error());
    zone = *offset;
  }
  return Value::Int(part(ToCalendar(args[0].integer, zone), args[0].size));
}

/// A duration in whole units.
template <std::int64_t nanoseconds>
Value GetWhole(Memory& /*memory*/, Args args) {
  return Value::Int(args[0].integer / nanoseconds);
}

struct TimePart {
  std::string_view function;
  std::string_view id;
  std::string_view id_with_zone;
  Implementation run;
};

constexpr TimePart kParts[] = {
    {"getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz", Get<Year>},
    {"getMonth", "timestamp_to_month", "timestamp_to_month_with_tz", Get<Month>},
    {"getDayOfYear", "timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz",
     Get<DayOfYear>},
    {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz",
     Get<DayOfMonth>},
    {"getDate", "timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz",
     Get<Date>},
    {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz",
     Get<DayOfWeek>},
    {"getHours", "timestamp_to_hours", "timestamp_to_hours_with_tz", Get<Hours>},
    {"getMinutes", "timestamp_to_minutes", "timestamp_to_minutes_with_tz", Get<Minutes>},
    {"getSeconds", "timestamp_to_seconds", "timestamp_to_seconds_tz", Get<Seconds>},
    {"getMilliseconds", "timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz",
     Get<Milliseconds>},
};

std::vector<Overload> MakeTimeRows() {
  std::vector<Overload> rows;
  for (const TimePart& part : kParts) {
    rows.push_back({part.function, part.id, true, "timestamp", "int", part.run});
    rows.push_back({part.function, part.id_with_zone, true, "timestamp, string", "int", part.run});
  }
  constexpr std::int64_t kSecond = 1000000000;
  rows.push_back(
      {"getHours", "duration_to_hours", true, "duration", "int", GetWhole<3600 * kSecond>});
  rows.push_back(
      {"getMinutes", "duration_to_minutes", true, "duration", "int", GetWhole<60 * kSecond>});
  rows.push_back({"getSeconds", "duration_to_seconds", true, "duration", "int", GetWhole<kSecond>});
  rows.push_back({"getMilliseconds", "duration_to_milliseconds", true, "duration", "int",
                  GetWhole<kSecond / 1000>});
  return rows;
}

}  // namespace

std::span<const Overload> TimeLibrary() {
  static const std::vector<Overload> rows = MakeTimeRows();
  return rows;
}

}  // namespace kube::cel
