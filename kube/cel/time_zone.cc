#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "kube/base/file_text.h"
#include "kube/base/mutex.h"
#include "kube/base/text.h"
#include "kube/cel/time.h"
#include "kube/go/go_format.h"
#include "kube/go/go_time.h"

namespace kube::cel {
namespace {

constexpr const char* kFolder = "/usr/share/zoneinfo/";

/// Where in a year summer or winter time begins: the rules of a POSIX TZ text.
struct YearRule {
  char form = 'M';  // 'M' month.week.day, 'J' day without leap days, 'D' day from 0
  int month = 0;
  int week = 0;
  int day = 0;
  std::int64_t time = 7200;  // in seconds of the day
};

/// The part of a zone file behind its last change: "EST5EDT,M3.2.0,M11.1.0".
struct TailRule {
  std::int64_t standard = 0;
  std::int64_t summer = 0;
  bool has_summer = false;
  YearRule start;
  YearRule end;
};

/// One file of tzdata (RFC 8536).
struct Zone {
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> offsets;  // after each of the times
  std::int64_t first_offset = 0;
  TailRule tail;
  bool has_tail = false;
};

std::uint64_t ReadBig(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

/// Reads a POSIX TZ text from left to right.
class TailReader {
 public:
  explicit TailReader(std::string_view text) : rest_(text) {}

  bool Read(TailRule& rule) {
    if (!SkipName() || !Offset(rule.standard)) return false;
    rule.standard = -rule.standard;
    if (rest_.empty()) return true;
    rule.has_summer = true;
    rule.summer = rule.standard + 3600;
    if (!SkipName()) return false;
    if (!rest_.empty() && rest_[0] != ',') {
      if (!Offset(rule.summer)) return false;
      rule.summer = -rule.summer;
    }
    return Rule(rule.start) && Rule(rule.end) && rest_.empty();
  }

 private:
  bool SkipName() {
    if (rest_.starts_with('<')) {
      const std::size_t end = rest_.find('>');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    std::size_t end = 0;
    while (end < rest_.size() && base::IsLetter(rest_[end])) ++end;
    rest_.remove_prefix(end);
    return end > 0;
  }

  bool Number(int& number) {
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (code != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool Skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// [+-]hh[:mm[:ss]]
  bool Offset(std::int64_t& seconds) {
    const bool is_negative = rest_.starts_with('-');
    if (is_negative || rest_.starts_with('+')) rest_.remove_prefix(1);
    int hours = 0;
    int minutes = 0;
    int rest = 0;
    if (!Number(hours)) return false;
    if (Skip(':') && !Number(minutes)) return false;
    if (Skip(':') && !Number(rest)) return false;
    seconds = std::int64_t{hours} * 3600 + minutes * 60 + rest;
    if (is_negative) seconds = -seconds;
    return true;
  }

  bool Rule(YearRule& rule) {
    if (!Skip(',')) return false;
    if (Skip('M')) {
      if (!Number(rule.month) || !Skip('.') || !Number(rule.week) || !Skip('.') ||
          !Number(rule.day)) {
        return false;
      }
    } else {
      rule.form = Skip('J') ? 'J' : 'D';
      if (!Number(rule.day)) return false;
    }
    return !Skip('/') || Offset(rule.time);
  }

  std::string_view rest_;
};

/// The second of the year at which a rule begins, in local time.
std::int64_t SecondOfYear(const YearRule& rule, std::int64_t year, int first_day_of_week) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = go::IsLeapYear(year);
  int day = rule.day;
  if (rule.form == 'J') {
    day = rule.day - 1 + (is_leap && rule.day >= 60 ? 1 : 0);
  } else if (rule.form == 'M') {
    int before = 0;
    const int month = std::clamp(rule.month, 1, 12);
    for (int m = 1; m < month; ++m) before += kDays[m - 1] + (m == 2 && is_leap ? 1 : 0);
    const int length = kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
    const int first = (first_day_of_week + before) % 7;
    int of_month = (rule.day - first + 7) % 7 + (rule.week - 1) * 7;
    while (of_month >= length) of_month -= 7;
    day = before + of_month;
  }
  return std::int64_t{day} * 86400 + rule.time;
}

std::int64_t TailOffset(const TailRule& tail, std::int64_t seconds) {
  if (!tail.has_summer) return tail.standard;
  const CalendarTime time = ToCalendar(seconds, tail.standard);
  const std::int64_t second = (std::int64_t{time.day_of_year} - 1) * 86400 + time.hour * 3600 +
                              time.minute * 60 + time.second;
  const int first_day = ((time.day_of_week - (time.day_of_year - 1)) % 7 + 7) % 7;
  const std::int64_t start = SecondOfYear(tail.start, time.year, first_day);
  const std::int64_t end =
      SecondOfYear(tail.end, time.year, first_day) - (tail.summer - tail.standard);
  const bool is_summer =
      start < end ? second >= start && second < end : second >= start || second < end;
  return is_summer ? tail.summer : tail.standard;
}

/// The block of a zone file with times of eight bytes. Null: this is none.
std::shared_ptr<const Zone> ReadZone(std::string_view bytes) {
  struct Counts {
    std::size_t utc, standard, leap, times, types, names;
  };
  const auto counts_at = [&](std::size_t at) {
    const auto count = [&](std::size_t i) {
      return static_cast<std::size_t>(ReadBig(bytes, at + 20 + 4 * i, 4));
    };
    return Counts{count(0), count(1), count(2), count(3), count(4), count(5)};
  };
  constexpr std::size_t kHeader = 44;
  if (bytes.size() < kHeader || !bytes.starts_with("TZif") || bytes[4] < '2') return nullptr;
  const Counts old = counts_at(0);
  const std::size_t header =
      kHeader + old.times * 5 + old.types * 6 + old.names + old.leap * 8 + old.standard + old.utc;
  if (header > bytes.size() || bytes.size() - header < kHeader) return nullptr;
  const Counts counts = counts_at(header);
  const std::size_t times = header + kHeader;
  const std::size_t kinds = times + counts.times * 8;
  const std::size_t types = kinds + counts.times;
  const std::size_t tail =
      types + counts.types * 6 + counts.names + counts.leap * 12 + counts.standard + counts.utc;
  if (counts.times > bytes.size() || tail > bytes.size() || counts.types == 0) return nullptr;
  auto zone = std::make_shared<Zone>();
  const auto offset_of = [&](std::size_t type) {
    return static_cast<std::int64_t>(
        static_cast<std::int32_t>(ReadBig(bytes, types + type * 6, 4)));
  };
  zone->first_offset = offset_of(0);
  for (std::size_t i = 0; i < counts.times; ++i) {
    const auto type = static_cast<unsigned char>(bytes[kinds + i]);
    if (type >= counts.types) return nullptr;
    zone->times.push_back(static_cast<std::int64_t>(ReadBig(bytes, times + i * 8, 8)));
    zone->offsets.push_back(offset_of(type));
  }
  std::string_view rule = bytes.substr(tail);
  if (rule.size() > 2 && rule.front() == '\n' && rule.back() == '\n') {
    rule = rule.substr(1, rule.size() - 2);
    zone->has_tail = TailReader(rule).Read(zone->tail);
  }
  return zone;
}

/// Of the reasons why a file cannot be read, those that lie in its name, as Go words them. Others,
/// as a right that is missing here, say nothing of the server.
bool IsOfName(std::string_view reason) {
  return reason == "is a directory" || reason == "not a directory" ||
         reason == "file name too long" || reason == "too many levels of symbolic links";
}

std::string NotLookedUp(const std::string& name, const std::string& why) {
  return "time zone " + name + " cannot be looked up: " + why;
}

/// The zone that Go's LoadLocation finds, or its error. What was found is kept: tzdata has some
/// hundreds of zones. A name that goes a way about (Europe//Berlin) is none of these.
base::Result<std::shared_ptr<const Zone>, std::string> FindZone(const std::string& name) {
  static base::Mutex mutex;
  static std::map<std::string, std::shared_ptr<const Zone>> zones GUARDED_BY(mutex);
  const base::MutexLock lock(mutex);
  const auto known = zones.find(name);
  if (known != zones.end()) return known->second;
  if (name.find('\0') != std::string::npos)
    return base::Unexpected(std::string("invalid argument"));
  // Go has two slashes there, which counts where a path is too long.
  const auto bytes = base::ReadFileText(kFolder + ("/" + name));
  if (!bytes) {
    const auto& [is_missing, message, reason] = bytes.error();
    if (is_missing) return base::Unexpected("unknown time zone " + name);
    return base::Unexpected(IsOfName(reason) ? reason : NotLookedUp(name, message));
  }
  std::shared_ptr<const Zone> zone = ReadZone(*bytes);
  if (zone == nullptr) return base::Unexpected(std::string("malformed time zone information"));
  const bool is_plain =
      name.find("//") == std::string::npos && name.find("./") == std::string::npos;
  if (is_plain) zones[name] = zone;
  return zone;
}

bool HasZones() {
  struct stat status {};
  return stat(kFolder, &status) == 0 && S_ISDIR(status.st_mode);
}

/// strconv.Atoi, or its error.
std::optional<int> ReadInt(std::string_view text, std::string& error) {
  int number = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code == std::errc() && end == digits.data() + digits.size() &&
      !(digits.data() != text.data() && digits.starts_with('-'))) {
    return number;
  }
  error = "strconv.Atoi: parsing " + go::GoQuote(text) + ": " +
          (code == std::errc::result_out_of_range ? "value out of range" : "invalid syntax");
  return std::nullopt;
}

base::Result<std::int64_t, std::string> NumericOffset(std::string_view zone, std::size_t colon) {
  std::string error;
  const auto hours = ReadInt(zone.substr(0, colon), error);
  if (!hours) return base::Unexpected(std::move(error));
  const auto minutes = ReadInt(zone.substr(colon + 1), error);
  if (!minutes) return base::Unexpected(std::move(error));
  if (*hours < -23 || *hours > 23) {
    return base::Unexpected("timezone offset hours out of range [-23, 23]: " + std::string(zone));
  }
  if (*minutes < 0 || *minutes > 59) {
    return base::Unexpected("timezone offset minutes out of range [0, 59]: " + std::string(zone));
  }
  const int total = *hours * 60 + (zone[0] == '-' ? -*minutes : *minutes);
  return std::int64_t{total} * 60;
}

}  // namespace

base::Result<std::int64_t, std::string> ZoneOffset(std::string_view zone, std::int64_t seconds) {
  const std::size_t colon = zone.find(':');
  if (colon != std::string_view::npos) return NumericOffset(zone, colon);
  // The server's own zone is UTC.
  if (zone.empty() || zone == "UTC" || zone == "Local") return std::int64_t{0};
  if (zone.find("..") != std::string_view::npos || zone[0] == '/' || zone[0] == '\\') {
    return base::Unexpected(std::string("time: invalid location name"));
  }
  const auto zone_file = FindZone(std::string(zone));
  if (!zone_file) {
    if (HasZones()) return base::Unexpected(zone_file.error());
    return base::Unexpected(
        NotLookedUp(std::string(zone), std::string("no ") + kFolder + " (install tzdata)"));
  }
  const std::shared_ptr<const Zone>& found = *zone_file;
  const auto next = std::upper_bound(found->times.begin(), found->times.end(), seconds);
  if (next == found->times.end() && found->has_tail) return TailOffset(found->tail, seconds);
  if (next == found->times.begin()) return found->first_offset;
  return found->offsets[static_cast<std::size_t>(next - found->times.begin()) - 1];
}

}  // namespace kube::cel
