#include "kube/schema/keyword_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "kube/go/go_format.h"
#include "kube/go/go_value.h"
#include "kube/meta/make_field_error.h"

namespace kube::schema {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

/// A number of Go: what is compared as int64 is also printed so.
std::string Print(const go::Number& number) {
  return number.is_integer ? std::to_string(number.integer) : json::FormatFloatG(number.real);
}

go::Number RealNumber(double real) { return {false, 0, real}; }

bool FitsInt32(std::int64_t integer) {
  return integer >= std::numeric_limits<std::int32_t>::min() &&
         integer <= std::numeric_limits<std::int32_t>::max();
}

/// What strconv.ParseInt takes of the digits that Go prints for the number. Those of -(1 << 63) as
/// a float64 are rounded out of the range.
bool FitsInteger(const go::Number& number, std::string_view format) {
  if (number.is_integer) return format != "int32" || FitsInt32(number.integer);
  const double real = number.real;
  if (std::trunc(real) != real || std::abs(real) >= kTwoTo63) return false;
  return format != "int32" || FitsInt32(static_cast<std::int64_t>(real));
}

bool FitsFloat32(double real) {
  // Half a step above the largest float32 rounds to infinity.
  return std::abs(real) < std::ldexp(2.0 - std::ldexp(1.0, -24), 127);
}

bool FitsType(const go::Number& number, std::string_view type, std::string_view format) {
  if (type == "integer") return FitsInteger(number, format);
  return format != "float" || FitsFloat32(number.real);
}

class NumberValidator {
 public:
  NumberValidator(const go::Number& number, std::string_view type, std::string_view format,
                  NumberFindingSink& sink)
      : number_(number), type_(type), format_(format), sink_(sink) {}

  /// Reports a number that its type cannot hold; `what` says which one.
  bool CheckType(const go::Number& number, std::string_view what) {
    if (FitsType(number, type_, format_)) return true;
    std::string type(type_);
    type += format_.empty() ? " (default format)" : " with format " + std::string(format_);
    sink_.OnWrongType(what, type);
    return false;
  }

  void CheckMultiple(double factor) {
    const bool is_typed = CheckType(RealNumber(factor), "MultipleOf");
    if (is_typed && number_.is_integer) {
      CheckIntegerMultiple(go::ToInt64(factor));
    } else {
      CheckRealMultiple(factor);
    }
  }

  void CheckMaximum(double maximum, bool exclusive) {
    const bool is_typed = CheckType(RealNumber(maximum), "Maximum boundary");
    CheckLimit(maximum, exclusive, is_typed, /*is_maximum=*/true);
  }

  void CheckMinimum(double minimum, bool exclusive) {
    const bool is_typed = CheckType(RealNumber(minimum), "Minimum boundary");
    CheckLimit(minimum, exclusive, is_typed, /*is_maximum=*/false);
  }

 private:
  void CheckIntegerMultiple(std::int64_t factor) {
    if (factor <= 0) return sink_.OnBadFactor(std::to_string(factor));
    if (number_.integer % factor == 0) return;
    sink_.OnOutside("should be a multiple of " + std::to_string(factor), Print(number_));
  }

  void CheckRealMultiple(double factor) {
    if (factor <= 0) return sink_.OnBadFactor(json::FormatFloatG(factor));
    const double times = factor < 1 ? 1 / factor * number_.real : number_.real / factor;
    if (IsJsonInteger(times)) return;
    sink_.OnOutside("should be a multiple of " + json::FormatFloatG(factor),
                    json::FormatFloatG(number_.real));
  }

  template <typename T>
  static bool IsOutside(T value, T limit, bool exclusive, bool is_maximum) {
    if (value == limit) return exclusive;
    return is_maximum ? value > limit : value < limit;
  }

  /// An int64 is compared as such with a limit that fits its type, else as a float64.
  void CheckLimit(double limit, bool exclusive, bool is_typed, bool is_maximum) {
    const bool as_integer = is_typed && number_.is_integer;
    const std::int64_t integer_limit = go::ToInt64(limit);
    const bool is_outside = as_integer
                                ? IsOutside(number_.integer, integer_limit, exclusive, is_maximum)
                                : IsOutside(number_.real, limit, exclusive, is_maximum);
    if (!is_outside) return;
    std::string message = is_maximum ? "should be less than " : "should be greater than ";
    if (!exclusive) message += "or equal to ";
    message += as_integer ? std::to_string(integer_limit) : json::FormatFloatG(limit);
    sink_.OnOutside(message, as_integer ? Print(number_) : json::FormatFloatG(number_.real));
  }

  const go::Number& number_;
  std::string_view type_, format_;
  NumberFindingSink& sink_;
};

}  // namespace

void ValidateNumber(const go::Number& number, const SchemaProps& schema, std::string_view type,
                    std::string_view format, NumberFindingSink& sink) {
  NumberValidator validator(number, type, format, sink);
  validator.CheckType(number, "Checked");
  if (schema.multiple_of) validator.CheckMultiple(*schema.multiple_of);
  if (schema.maximum) validator.CheckMaximum(*schema.maximum, schema.exclusive_maximum);
  if (schema.minimum) validator.CheckMinimum(*schema.minimum, schema.exclusive_minimum);
}

bool IsJsonInteger(double real) {
  constexpr double kMost = 9007199254740991.0;  // 2^53 - 1
  constexpr double kEpsilon = 1e-9;
  if (!(std::abs(real) <= kMost)) return false;
  const double rounded = std::round(real);
  if (real == rounded) return true;
  return rounded != 0 && std::abs(real - rounded) < kEpsilon * std::abs(rounded);
}

namespace {

/// string(rune): the character with that number, U+FFFD where there is none.
std::string CharacterOf(std::int64_t number) {
  const bool is_character =
      number >= 0 && number <= 0x10FFFF && !(number >= 0xD800 && number <= 0xDFFF);
  const auto rune = static_cast<unsigned>(is_character ? number : 0xFFFD);
  const auto continuation = [rune](unsigned shift) {
    return static_cast<char>(0x80 | ((rune >> shift) & 0x3F));
  };
  if (rune < 0x80) return {static_cast<char>(rune)};
  if (rune < 0x800) return {static_cast<char>(0xC0 | (rune >> 6)), continuation(0)};
  if (rune < 0x10000) {
    return {static_cast<char>(0xE0 | (rune >> 12)), continuation(6), continuation(0)};
  }
  return {static_cast<char>(0xF0 | (rune >> 18)), continuation(12), continuation(6),
          continuation(0)};
}

bool IsNumberAs(const go::Number& number, const json::Value& allowed) {
  if (allowed.is_string()) {
    return number.is_integer && CharacterOf(number.integer) == allowed.text();
  }
  if (!allowed.is_number()) return false;
  const go::Number other = go::ReadNumber(allowed);
  if (!other.is_integer) return number.real == other.real;
  return (number.is_integer ? number.integer : go::ToInt64(number.real)) == other.integer;
}

bool IsAs(const json::Value& value, const json::Value& allowed) {
  if (value.is_null() || allowed.is_null()) return false;
  if (value.is_number()) return IsNumberAs(go::ReadNumber(value), allowed);
  return go::GoDeepEqual(value, allowed);
}

void AppendFormatted(std::string& out, const json::Value& value);

void AppendFormatted(std::string& out, std::span<const json::Value> values) {
  out += '[';
  for (const json::Value& value : values) {
    if (&value != values.data()) out += ' ';
    AppendFormatted(out, value);
  }
  out += ']';
}

void AppendFormattedMap(std::string& out, const json::Value& object) {
  std::map<std::string_view, const json::Value*> sorted;
  for (const json::Member& member : object.members()) {
    sorted.emplace(member.key.text(), &member.value);
  }
  out += "map[";
  const std::size_t start = out.size();
  for (const auto& [key, value] : sorted) {
    if (out.size() != start) out += ' ';
    out.append(key).append(":");
    AppendFormatted(out, *value);
  }
  out += ']';
}

/// fmt's %v.
void AppendFormatted(std::string& out, const json::Value& value) {
  if (value.is_null()) {
    out += "<nil>";
  } else if (value.is_string()) {
    out += value.text();
  } else if (value.is_array()) {
    AppendFormatted(out, value.elements());
  } else if (value.is_object()) {
    AppendFormattedMap(out, value);
  } else {
    out += meta::PrintBadValue(value);
  }
}

}  // namespace

bool IsInEnum(const json::Value& value, std::span<const json::Value> values) {
  return values.empty() || std::ranges::any_of(values, [&value](const json::Value& allowed) {
           return IsAs(value, allowed);
         });
}

std::vector<std::string> PrintEnum(std::span<const json::Value> values) {
  std::vector<std::string> printed;
  for (const json::Value& value : values) {
    printed.push_back(value.is_string() ? std::string(value.text()) : meta::PrintAsJson(value));
  }
  return printed;
}

std::string FormatEnum(std::span<const json::Value> values) {
  std::string formatted;
  AppendFormatted(formatted, values);
  return formatted;
}

bool HasDuplicates(const json::Value& array) {
  std::set<std::string> seen;
  return std::ranges::any_of(array.elements(), [&seen](const json::Value& element) {
    return !seen.insert(go::GoIdentity(element)).second;
  });
}

}  // namespace kube::schema
