#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as Go's strconv and fmt print and read them.
namespace kube::cel {

/// One more than the largest int and uint, which have no double of their own.
inline constexpr double kTwoTo63 = 9223372036854775808.0;
inline constexpr double kTwoTo64 = 18446744073709551616.0;

/// -1, 0 or 1.
template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/// strconv.FormatFloat(value, 'f', -1, 64): no exponent, as few digits as tell the value apart.
std::string FormatFixed(double value);
/// fmt.Sprintf("%.*f") and "%.*e": the exponent has two digits at least.
std::string FormatFixed(double value, int precision);
std::string FormatScientific(double value, int precision);

/// strconv.ParseInt and ParseUint with base 10, ParseFloat, ParseBool; absent where they fail.
std::optional<std::int64_t> ParseInt(std::string_view text);
std::optional<std::uint64_t> ParseUint(std::string_view text);
std::optional<double> ParseFloat(std::string_view text);
std::optional<bool> ParseBool(std::string_view text);

}  // namespace kube::cel
