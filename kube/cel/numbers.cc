#include "kube/cel/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "kube/base/text.h"
#include "kube/json/json.h"

namespace kube::cel {
namespace {

std::string_view NotFinite(double value) {
  if (std::isnan(value)) return "NaN";
  return value < 0 ? "-Inf" : "+Inf";
}

std::string FormatAs(double value, std::chars_format form, int precision) {
  if (!std::isfinite(value)) return std::string(NotFinite(value));
  std::string out(400 + static_cast<std::size_t>(precision < 0 ? 0 : precision), '\0');
  char* const begin = out.data();
  char* const limit = begin + out.size();
  const auto result = precision < 0 ? std::to_chars(begin, limit, value, form)
                                    : std::to_chars(begin, limit, value, form, precision);
  out.resize(static_cast<std::size_t>(result.ptr - begin));
  return out;
}

/// Go allows them only after a prefix as 0x, and only where the base is not given: here never.
bool HasUnderscore(std::string_view text) { return text.find('_') != std::string_view::npos; }

bool IsHexFloat(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

}  // namespace

std::string FormatFixed(double value) {
  return std::isfinite(value) ? json::FormatFloatF(value) : std::string(NotFinite(value));
}
std::string FormatFixed(double value, int precision) {
  return FormatAs(value, std::chars_format::fixed, precision);
}
std::string FormatScientific(double value, int precision) {
  return FormatAs(value, std::chars_format::scientific, precision);
}

std::optional<std::int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> ParseUint(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseFloat(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string lower = base::ToLower(text);
  double value = 0;
  if (lower == "inf" || lower == "infinity") {
    value = HUGE_VAL;
  } else if (lower == "nan") {
    return std::nan("");
  } else {
    if (text.empty() || HasUnderscore(text) || text[0] == '-' || text[0] == '+')
      return std::nullopt;
    const bool is_hex = IsHexFloat(text);
    const std::string_view digits = is_hex ? text.substr(2) : text;
    // A hexadecimal number has to have an exponent in Go.
    if (is_hex && lower.find('p') == std::string::npos) return std::nullopt;
    if (digits.empty() || (!base::IsHexDigit(digits[0]) && digits[0] != '.')) return std::nullopt;
    if (!is_hex && !base::IsDigit(digits[0]) && digits[0] != '.') return std::nullopt;
    const auto [end, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value,
                        is_hex ? std::chars_format::hex : std::chars_format::general);
    if (end != digits.data() + digits.size() || code == std::errc::invalid_argument) {
      return std::nullopt;
    }
    if (code == std::errc::result_out_of_range) {
      value = std::strtod(std::string(text).c_str(), nullptr);
      if (std::isinf(value)) return std::nullopt;
    }
  }
  return is_negative ? -value : value;
}

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" ||
      text == "True") {
    return true;
  }
  if (text == "0" || text == "f" || text == "F" || text == "false" || text == "FALSE" ||
      text == "False") {
    return false;
  }
  return std::nullopt;
}

}  // namespace kube::cel
