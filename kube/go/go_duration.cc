#include "kube/go/go_duration.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "kube/base/text.h"

namespace kube::go {
namespace {

using kube::base::IsDigit;

using std::chrono::nanoseconds;

// One more than the largest positive duration: the magnitude of the smallest negative one.
constexpr std::uint64_t kMaxMagnitude = std::uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

// U+00B5 and U+03BC both are in use for micro.
constexpr Unit kUnits[] = {
    {"ns", 1},         {"us", 1'000},        {"\u00B5s", 1'000},    {"\u03BCs", 1'000},
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
};

std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, IsDigit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

std::optional<Unit> TakeUnit(std::string_view& text) {
  const std::string_view name = text.substr(0, text.find_first_of(".0123456789"));
  text.remove_prefix(name.size());
  const auto found = std::ranges::find(kUnits, name, &Unit::name);
  if (found == std::end(kUnits)) return std::nullopt;
  return *found;
}

std::optional<std::uint64_t> Product(std::string_view digits, std::uint64_t factor) {
  std::uint64_t number = 0;
  if (digits.empty()) return 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (result.ec != std::errc() || number > kMaxMagnitude / factor) return std::nullopt;
  return number * factor;
}

// Digits beyond what an int64 holds are dropped, as in Go.
std::uint64_t Fraction(std::string_view digits, std::uint64_t factor) {
  constexpr std::uint64_t kMax = kMaxMagnitude - 1;
  std::uint64_t number = 0;
  double scale = 1;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (kMax - digit) / 10) break;
    number = number * 10 + digit;
    scale *= 10;
  }
  return static_cast<std::uint64_t>(static_cast<double>(number) *
                                    (static_cast<double>(factor) / scale));
}

// One number with its unit from the front of `text`, in nanoseconds.
std::optional<std::uint64_t> TakeTerm(std::string_view& text) {
  const std::string_view whole = TakeDigits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = TakeDigits(text);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const std::optional<Unit> unit = TakeUnit(text);
  if (!unit) return std::nullopt;
  const std::optional<std::uint64_t> product = Product(whole, unit->nanoseconds);
  if (!product) return std::nullopt;
  const std::uint64_t sum = *product + Fraction(fraction, unit->nanoseconds);
  if (sum > kMaxMagnitude) return std::nullopt;
  return sum;
}

std::optional<std::uint64_t> ParseMagnitude(std::string_view text) {
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const std::optional<std::uint64_t> term = TakeTerm(text);
    if (!term || sum + *term > kMaxMagnitude) return std::nullopt;
    sum += *term;
  }
  return sum;
}

// A whole number that is not negative, as strconv.ParseInt takes it; one too large is the largest.
std::optional<std::int64_t> ParseSeconds(std::string_view text) {
  if (text == "-0") return 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, IsDigit)) return std::nullopt;
  std::int64_t seconds = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (result.ec == std::errc::result_out_of_range) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<nanoseconds> ParseGoDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<std::uint64_t> magnitude = ParseMagnitude(text);
  if (!magnitude) return std::nullopt;
  if (negative) return nanoseconds(static_cast<std::int64_t>(0 - *magnitude));
  if (*magnitude == kMaxMagnitude) return std::nullopt;
  return nanoseconds(static_cast<std::int64_t>(*magnitude));
}

std::optional<nanoseconds> ParseRequestTimeout(std::string_view text) {
  if (const std::optional<std::int64_t> seconds = ParseSeconds(text)) {
    constexpr auto kMax = std::chrono::floor<std::chrono::seconds>(nanoseconds::max());
    return std::min(std::chrono::seconds(*seconds), kMax);
  }
  const std::optional<nanoseconds> duration = ParseGoDuration(text);
  if (!duration) return std::nullopt;
  return std::max(*duration, nanoseconds(0));
}

}  // namespace kube::go
