#include "kube/schema/number_validation.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "kube/go/go_format.h"

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

}  // namespace kube::schema
