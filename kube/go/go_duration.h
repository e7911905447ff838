#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace kube::go {

/// Reads a duration as Go's time.ParseDuration does: "1m30s", "-1.5h", ".5s", "300ms", "0"; units
/// ns, us, ms, s, m and h. Absent where it is none or does not fit into an int64 of nanoseconds.
std::optional<std::chrono::nanoseconds> ParseGoDuration(std::string_view text);

/// Reads the value of --request-timeout (clientcmd.ParseTimeout): a whole number of seconds, or a
/// Go duration. Never negative: such a duration is no timeout, as for Go's HTTP client. More
/// seconds than fit are as many as fit.
std::optional<std::chrono::nanoseconds> ParseRequestTimeout(std::string_view text);

}  // namespace kube::go
