#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "kube/json/json.h"
#include "kube/json/member_index.h"

namespace kube::json {
namespace {

constexpr std::int64_t kExponentLimit = std::numeric_limits<std::int64_t>::max() / 4;

// Absent for a number with a point or an exponent, too.
std::optional<std::int64_t> ParseInt64(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Absent where the number is too large; a number too small is 0, as in Go.
std::optional<double> ParseDouble(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) return number;
  // from_chars does not say on which side the number was out of range; strtod does.
  number = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(number)) return std::nullopt;
  return number;
}

// A decimal number as sign, digits and exponent: 0.d1d2d3... * 10^exponent.
struct Decimal {
  bool negative = false;
  std::string digits;  // no leading or trailing zeros; empty for 0
  std::int64_t exponent = 0;

  bool operator==(const Decimal&) const = default;
};

std::int64_t ReadExponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) {
    exponent = std::min(exponent * 10 + (digit - '0'), kExponentLimit / 10);
  }
  return negative ? -exponent : exponent;
}

Decimal ReadDecimal(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('-')) {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  if (e != std::string_view::npos) decimal.exponent = ReadExponent(text.substr(e + 1));
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  decimal.digits = mantissa.substr(0, point);
  decimal.exponent += static_cast<std::int64_t>(point);
  if (point < mantissa.size()) decimal.digits += mantissa.substr(point + 1);

  const std::size_t first = decimal.digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  decimal.digits.erase(0, first);
  decimal.exponent -= static_cast<std::int64_t>(first);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return decimal;
}

// The shortest digits that read back as `value`, in scientific notation, e.g. "1.5e-07".
std::string Scientific(double value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  return {buffer.data(), end};
}

int ExponentOf(const std::string& scientific) {
  return std::atoi(scientific.c_str() + scientific.find('e') + 1);
}

// The same digits without an exponent. Go fills up with zeros, where std::to_chars' fixed form
// would print the exact value: 12345678901234567000 for 12345678901234567168.
std::string WithoutExponent(const std::string& scientific) {
  std::string digits = scientific.substr(0, scientific.find('e'));
  const std::string sign = digits.starts_with('-') ? "-" : "";
  digits.erase(0, sign.size());
  std::erase(digits, '.');
  const int point = ExponentOf(scientific) + 1;  // digits before the point
  if (point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  const auto whole = static_cast<std::size_t>(point);
  if (digits.size() <= whole) return sign + digits.append(whole - digits.size(), '0');
  return sign + digits.insert(whole, ".");
}

bool EqualNumbers(std::string_view a, std::string_view b) {
  return a == b || ReadDecimal(a) == ReadDecimal(b);
}

// Apart from the recursion, whose stack it would blow up.
std::optional<std::string> StoreNumber(Value& value, Arena& arena) {
  auto stored = StoredNumber(value.text());
  if (!stored) return std::move(stored).error();
  if (*stored != value.text()) value = Value::Number(arena.Copy(*stored));
  return std::nullopt;
}

// As a rule both have their keys in the same order. Where they have not, very many keys must not be
// looked through for each of them.
bool EqualObjects(const Value& a, const Value& b) {
  std::unique_ptr<MemberIndex> index;  // small on the stack, as objects may be nested deeply
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Member& member = a.members()[i];
    const Value* other = &b.members()[i].value;
    if (b.members()[i].key.text() != member.key.text()) {
      if (index == nullptr) index = std::make_unique<MemberIndex>();
      other = index->Find(b, member.key.text());
    }
    if (other == nullptr || !Equal(member.value, *other)) return false;
  }
  return true;
}

bool EqualArrays(const Value& a, const Value& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!Equal(a.elements()[i], b.elements()[i])) return false;
  }
  return true;
}

}  // namespace

bool Equal(const Value& a, const Value& b) {
  if (a.type() != b.type() || a.size() != b.size()) return false;
  switch (a.type()) {
    case Type::kNull:
      return true;
    case Type::kBool:
      return a.AsBool() == b.AsBool();
    case Type::kNumber:
      return EqualNumbers(a.text(), b.text());
    case Type::kString:
      return a.text() == b.text();
    case Type::kArray:
      return EqualArrays(a, b);
    case Type::kObject:
      return EqualObjects(a, b);
  }
  return false;
}

std::string FormatFloat(double value) {
  const double magnitude = std::fabs(value);
  std::string scientific = Scientific(value);
  if (magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21)) return WithoutExponent(scientific);
  // Go prints two digits of an exponent at least, but encoding/json takes the zero of e-07 away.
  const std::size_t zero = scientific.find("e-0");
  if (zero != std::string::npos) scientific.erase(zero + 2, 1);
  return scientific;
}

std::string FormatFloatF(double value) { return WithoutExponent(Scientific(value)); }

std::string FormatFloatG(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  const std::string scientific = Scientific(value);
  const int exponent = ExponentOf(scientific);
  // strconv.FormatFloat decides by a precision of 6 where the shortest digits are asked for.
  return exponent < -4 || exponent >= 6 ? scientific : WithoutExponent(scientific);
}

base::Result<std::string, std::string> StoredNumber(std::string_view text) {
  if (const auto number = ParseInt64(text)) return std::to_string(*number);
  if (const auto number = ParseDouble(text)) return FormatFloat(*number);
  return base::Unexpected("json: cannot unmarshal number " + std::string(text) +
                          " into Go value of type float64");
}

std::optional<std::string> StoreNumbers(Value& value, Arena& arena) {
  if (value.is_number()) return StoreNumber(value, arena);
  for (Value& element : value.elements()) {
    if (auto error = StoreNumbers(element, arena)) return error;
  }
  for (Member& member : value.members()) {
    if (auto error = StoreNumbers(member.value, arena)) return error;
  }
  return std::nullopt;
}

std::optional<std::int64_t> AsInt64(const Value& value) {
  if (!value.is_number()) return std::nullopt;
  return ParseInt64(value.text());
}

std::optional<double> AsDouble(const Value& value) {
  if (!value.is_number()) return std::nullopt;
  return ParseDouble(value.text());
}

}  // namespace kube::json
