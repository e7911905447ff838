#include "migrate/check/recent_change.h"

#include <algorithm>
#include <optional>

#include "kube/go/go_time.h"

namespace migrate::check {
namespace {

using kube::json::Type;
using kube::json::Value;
using std::chrono::sys_seconds;

// When the writer of an entry has changed the spec; status is the server's.
std::optional<sys_seconds> SpecChange(const Value& entry) {
  const Value* fields = entry.Find("fieldsV1", Type::kObject);
  if (fields == nullptr || fields->Find("f:spec") == nullptr) return std::nullopt;
  const auto time = kube::go::ParseGoTime(entry.FindText("time"));
  if (!time) return std::nullopt;
  return sys_seconds(std::chrono::seconds(time->unix_seconds));
}

std::optional<sys_seconds> LastSpecChange(const Value& crd) {
  const Value* metadata = crd.Find("metadata", Type::kObject);
  const Value* entries =
      metadata == nullptr ? nullptr : metadata->Find("managedFields", Type::kArray);
  std::optional<sys_seconds> last;
  if (entries == nullptr) return last;
  for (const Value& entry : entries->elements()) last = std::max(last, SpecChange(entry));
  return last;
}

}  // namespace

std::chrono::system_clock::duration TimeUntilNoticed(const Value& crd,
                                                     std::chrono::system_clock::time_point now) {
  using Duration = std::chrono::system_clock::duration;
  const auto last = LastSpecChange(crd);
  // Sorted out in seconds: a clock's ticks do not reach all years that an entry may name.
  const auto today = std::chrono::floor<std::chrono::seconds>(now);
  if (!last || *last + kNoticed < today) return Duration::zero();
  if (*last > today) return kNoticed;
  return std::clamp<Duration>(*last + kNoticed - now, Duration::zero(), kNoticed);
}

std::chrono::system_clock::duration TimeUntilNoticed(std::int64_t seen,
                                                     std::chrono::system_clock::time_point now) {
  const std::int64_t today = Milliseconds(now);
  if (seen <= 0 || seen > today) return kNoticed;  // unknown, or the clock was set back
  const std::int64_t passed = today - seen;
  const auto needed = std::chrono::milliseconds(kNoticed);
  return passed >= needed.count() ? std::chrono::milliseconds(0)
                                  : needed - std::chrono::milliseconds(passed);
}

std::int64_t Milliseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace migrate::check
