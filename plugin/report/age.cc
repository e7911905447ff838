#include "plugin/report/age.h"

#include <charconv>
#include <optional>

namespace plugin::report {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_seconds;

// The number that all of `digits` are.
std::optional<unsigned> ReadNumber(std::string_view digits) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<sys_seconds> ReadDate(std::string_view date) {
  const auto year = ReadNumber(date.substr(0, 4));
  const auto month = ReadNumber(date.substr(5, 2));
  const auto day = ReadNumber(date.substr(8, 2));
  if (!year || !month || !day || date[4] != '-' || date[7] != '-') return std::nullopt;
  const std::chrono::year_month_day ymd{std::chrono::year(static_cast<int>(*year)),
                                        std::chrono::month(*month), std::chrono::day(*day)};
  if (!ymd.ok()) return std::nullopt;
  return std::chrono::sys_days(ymd);
}

std::optional<std::chrono::seconds> ReadTimeOfDay(std::string_view time) {
  const auto hour = ReadNumber(time.substr(0, 2));
  const auto minute = ReadNumber(time.substr(3, 2));
  const auto second = ReadNumber(time.substr(6, 2));
  if (!hour || !minute || !second || time[2] != ':' || time[5] != ':') return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return hours(*hour) + minutes(*minute) + std::chrono::seconds(*second);
}

// "2026-11-21T03:15:00Z"
std::optional<sys_seconds> ReadTimestamp(std::string_view text) {
  if (text.size() != 20 || text[10] != 'T' || text[19] != 'Z') return std::nullopt;
  const auto date = ReadDate(text.substr(0, 10));
  const auto time = ReadTimeOfDay(text.substr(11, 8));
  if (!date || !time) return std::nullopt;
  return *date + *time;
}

std::string Count(std::int64_t number, char unit) { return std::to_string(number) + unit; }

// "3h", or "3h20m".
std::string Count(std::int64_t number, char unit, std::int64_t rest, char rest_unit) {
  return Count(number, unit) + (rest == 0 ? "" : Count(rest, rest_unit));
}

// apimachinery pkg/util/duration, HumanDuration: about two or three significant digits.
std::string HumanDuration(std::chrono::seconds elapsed) {
  const std::int64_t s = elapsed.count();
  const std::int64_t m = s / 60;
  const std::int64_t h = m / 60;
  if (s < -1) return "<invalid>";
  if (s < 0) return "0s";
  if (s < 60 * 2) return Count(s, 's');
  if (m < 10) return Count(m, 'm', s % 60, 's');
  if (m < 60 * 3) return Count(m, 'm');
  if (h < 8) return Count(h, 'h', m % 60, 'm');
  if (h < 48) return Count(h, 'h');
  if (h < 24 * 8) return Count(h / 24, 'd', h % 24, 'h');
  if (h < 24 * 365 * 2) return Count(h / 24, 'd');
  if (h < 24 * 365 * 8) return Count(h / 24 / 365, 'y', h / 24 % 365, 'd');
  return Count(h / 24 / 365, 'y');
}

}  // namespace

std::string Age(std::string_view timestamp, sys_seconds now) {
  const std::optional<sys_seconds> time = ReadTimestamp(timestamp);
  return time ? HumanDuration(now - *time) : "<unknown>";
}

}  // namespace plugin::report
