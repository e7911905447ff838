#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace plugin::report {

/// How long before `now` the time `timestamp` was, as kubectl's AGE shows it: "45s", "4m", "412d".
/// `timestamp` is RFC 3339 in UTC, whole seconds; anything else is "<unknown>". A time in the
/// future is "<invalid>".
std::string Age(std::string_view timestamp, std::chrono::sys_seconds now);

}  // namespace plugin::report
