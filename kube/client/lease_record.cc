#include "kube/client/lease_record.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string_view>

#include "kube/go/go_time.h"

namespace kube::client {
namespace {

using json::Value;

std::int32_t ReadCount(const Value& spec, std::string_view key) {
  const Value* value = spec.Find(key, json::Type::kNumber);
  const std::int64_t number = value == nullptr ? 0 : json::AsInt64(*value).value_or(0);
  const bool fits = number >= 0 && number <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(number) : 0;
}

// Go's layout "2006-01-02T15:04:05.000000Z07:00". Without a fraction the year's digits are counted,
// which are four.
bool IsMicroTime(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  const std::string_view fraction = text.substr(text.find_first_of(".,") + 1);
  return go::ParseGoTime(text) && fraction.find_first_not_of("0123456789") == kDigits;
}

std::string ReadTime(const Value& spec, std::string_view key) {
  const std::string_view text = spec.FindText(key);
  return IsMicroTime(text) ? std::string(text) : std::string();
}

}  // namespace

LeaseRecord ReadLeaseRecord(const Value& spec) {
  LeaseRecord record;
  record.holder_identity = spec.FindText("holderIdentity");
  record.lease_duration_seconds = ReadCount(spec, "leaseDurationSeconds");
  record.acquire_time = ReadTime(spec, "acquireTime");
  record.renew_time = ReadTime(spec, "renewTime");
  record.lease_transitions = ReadCount(spec, "leaseTransitions");
  return record;
}

Value MakeLeaseSpec(const LeaseRecord& record, json::Arena& arena) {
  Value spec = Value::Object();
  spec.Set("holderIdentity", Value::String(record.holder_identity), arena);
  spec.Set("leaseDurationSeconds", Value::Number(record.lease_duration_seconds, arena), arena);
  const auto set_time = [&](std::string_view key, const std::string& time) {
    if (!time.empty()) spec.Set(key, Value::String(time), arena);
  };
  set_time("acquireTime", record.acquire_time);
  set_time("renewTime", record.renew_time);
  spec.Set("leaseTransitions", Value::Number(record.lease_transitions, arena), arena);
  return spec;
}

std::string MicroTime(std::chrono::system_clock::time_point time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(time - second);
  std::string text = go::FormatGoTime({second.time_since_epoch().count(), 0});
  std::array<char, 16> fraction{};
  (void)std::snprintf(fraction.data(), fraction.size(), ".%06d", static_cast<int>(rest.count()));
  text.insert(text.size() - 1, fraction.data());
  return text;
}

std::string LeaseText(const std::string& namespace_name, const std::string& name) {
  return "the Lease \"" + namespace_name + "/" + name + "\"";
}

}  // namespace kube::client
