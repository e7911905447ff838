// Quantities (apiserver/pkg/cel/library/quantity.go, apimachinery/pkg/api/resource).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "kube/base/text.h"
#include "kube/cel/function.h"
#include "kube/cel/opaque.h"

namespace kube::cel {
namespace {

constexpr base::Release kQuantitiesSince{1, 28};
constexpr std::string_view kWrongForm =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kWrongSuffix = "unable to parse quantity's suffix";
constexpr std::string_view kWrongNumber = "unable to parse numeric part of quantity";
constexpr std::string_view kTooLarge = "quantity is too large";
// Digits of what is computed; the server's own numbers end where its memory does.
constexpr std::int64_t kMostDigits = 10000;
constexpr int kIntDigits = 18;  // of numbers that surely fit into an int64
constexpr std::int32_t kNano = -9;
constexpr std::string_view kSmallestInt = "9223372036854775808";  // without its sign

/// digits * 10^scale, as QuantityValue but with digits of its own.
struct Decimal {
  bool is_decimal = false;
  bool is_negative = false;
  std::int32_t scale = 0;
  std::string digits = "0";

  bool is_zero() const { return digits == "0"; }
};

const QuantityValue& Quantity(const Value& value) {
  return static_cast<const QuantityValue&>(*value.opaque);
}

Decimal ToDecimal(const QuantityValue& value) {
  return {value.is_decimal, value.is_negative, value.scale, std::string(value.digits)};
}

Value MakeQuantity(Memory& memory, const Decimal& decimal) {
  auto* value = memory.Take<QuantityValue>();
  value->kind = Opaque::Kind::kQuantity;
  value->is_decimal = decimal.is_decimal;
  value->is_negative = decimal.is_negative;
  value->scale = decimal.scale;
  value->digits = memory.Copy(decimal.digits);
  return memory.OfOpaque(value);
}

void StripZeros(std::string& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) digits = "0";
}

/// The sum of two numbers without signs.
std::string AddDigits(const std::string& a, const std::string& b) {
  std::string sum(std::max(a.size(), b.size()) + 1, '0');
  int carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    int digit = carry;
    if (i < a.size()) digit += a[a.size() - 1 - i] - '0';
    if (i < b.size()) digit += b[b.size() - 1 - i] - '0';
    sum[sum.size() - 1 - i] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  StripZeros(sum);
  return sum;
}

int CompareDigits(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

/// a - b, where a is no smaller.
std::string SubtractDigits(const std::string& a, const std::string& b) {
  std::string difference = a;
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    int digit = a[a.size() - 1 - i] - '0' - borrow;
    if (i < b.size()) digit -= b[b.size() - 1 - i] - '0';
    borrow = digit < 0 ? 1 : 0;
    difference[a.size() - 1 - i] = static_cast<char>('0' + digit + borrow * 10);
  }
  StripZeros(difference);
  return difference;
}

std::string TimesPowerOfTwo(std::string digits, int power) {
  constexpr int kBitsAtOnce = 30;
  for (; power > 0; power -= kBitsAtOnce) {
    const int bits = std::min(power, kBitsAtOnce);
    std::uint64_t carry = 0;
    for (std::size_t i = digits.size(); i > 0; --i) {
      carry += static_cast<std::uint64_t>(digits[i - 1] - '0') << bits;
      digits[i - 1] = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    if (carry > 0) digits.insert(0, std::to_string(carry));
  }
  return digits;
}

std::optional<std::int64_t> ToInt64(const std::string& digits, bool is_negative) {
  const std::string text = (is_negative ? "-" : "") + digits;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() ? std::optional(value) : std::nullopt;
}

/// Gives both the smaller scale; false where that takes too many digits.
bool Align(Decimal& a, Decimal& b) {
  Decimal& wide = a.scale > b.scale ? a : b;
  const std::int32_t scale = std::min(a.scale, b.scale);
  if (!wide.is_zero()) {
    const std::int64_t zeros = std::int64_t{wide.scale} - scale;
    if (zeros > kMostDigits) return false;
    wide.digits.append(static_cast<std::size_t>(zeros), '0');
  }
  wide.scale = scale;
  return true;
}

/// What comes first, without zeros for numbers of different scales.
template <typename Number>
int Compare(const Number& a, const Number& b) {
  const auto sign = [](const Number& n) { return n.digits == "0" ? 0 : n.is_negative ? -1 : 1; };
  const int a_sign = sign(a);
  if (a_sign != sign(b)) return a_sign < sign(b) ? -1 : 1;
  if (a_sign == 0) return 0;
  const auto magnitude = [](const Number& n) {
    return static_cast<std::int64_t>(n.digits.size()) + n.scale;
  };
  if (magnitude(a) != magnitude(b)) return magnitude(a) < magnitude(b) ? -a_sign : a_sign;
  const std::size_t shared = std::min(a.digits.size(), b.digits.size());
  const auto has_more = [&](const Number& n) {
    return n.digits.find_first_not_of('0', shared) != n.digits.npos;
  };
  int order = std::string_view(a.digits).substr(0, shared).compare(
      std::string_view(b.digits).substr(0, shared));
  if (order == 0) order = (has_more(a) ? 1 : 0) - (has_more(b) ? 1 : 0);
  return order < 0 ? -a_sign : order > 0 ? a_sign : 0;
}

/// The parts of a quantity as it is written.
struct Written {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
};

bool SplitQuantity(std::string_view text, Written& parts) {
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  if (zeros == text.size()) {
    parts.whole = "0";
    return true;
  }
  text.remove_prefix(zeros);
  std::size_t end = base::SkipDigits(text, 0);
  parts.whole = end == 0 ? "0" : text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with('.')) {
    end = base::SkipDigits(text, 1);
    parts.fraction = text.substr(1, end - 1);
    text.remove_prefix(end);
  }
  parts.suffix = text;
  std::size_t at = std::min(text.find_first_not_of("eEinumkKMGTP"), text.size());
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return base::SkipDigits(text, at) == text.size();
}

struct Suffix {
  int base = 10;
  std::int32_t exponent = 0;
};

std::optional<Suffix> FindSuffix(std::string_view text) {
  struct Named {
    std::string_view name;
    Suffix suffix;
  };
  static constexpr Named kNamed[] = {
      {"", {10, 0}},   {"n", {10, -9}}, {"u", {10, -6}}, {"m", {10, -3}},
      {"k", {10, 3}},  {"M", {10, 6}},  {"G", {10, 9}},  {"T", {10, 12}},
      {"P", {10, 15}}, {"E", {10, 18}}, {"Ki", {2, 10}}, {"Mi", {2, 20}},
      {"Gi", {2, 30}}, {"Ti", {2, 40}}, {"Pi", {2, 50}}, {"Ei", {2, 60}}};
  for (const Named& named : kNamed) {
    if (named.name == text) return named.suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return Suffix{10, static_cast<std::int32_t>(exponent)};
}

/// Counts in nanos, as the server does with what is no int64, which is seen in the last digits of
/// asApproximateFloat(). What is beyond a nano is rounded away from zero.
void CountInNanos(Decimal& number) {
  if (number.is_zero()) return;
  if (number.scale >= kNano) {
    const std::int64_t zeros = std::int64_t{number.scale} - kNano;
    if (zeros > kMostDigits) return;
    number.digits.append(static_cast<std::size_t>(zeros), '0');
    number.scale = kNano;
    return;
  }
  const std::int64_t cut = std::int64_t{kNano} - number.scale;
  const auto size = static_cast<std::int64_t>(number.digits.size());
  const std::size_t kept = static_cast<std::size_t>(std::max<std::int64_t>(size - cut, 0));
  const bool is_exact = number.digits.find_first_not_of('0', kept) == std::string::npos;
  number.digits.resize(kept);
  StripZeros(number.digits);
  if (!is_exact) number.digits = AddDigits(number.digits, "1");
  number.scale = kNano;
}

/// How many digits the server leaves for numbers that it keeps as an int64; below 0: none.
int Precision(const Written& parts, const Suffix& suffix) {
  const auto whole = static_cast<int>(parts.whole.size());
  const auto fraction = static_cast<int>(parts.fraction.size());
  if (suffix.base == 10) return kIntDigits - (whole + fraction);
  if (fraction > 0) return -1;
  return 15 - whole - static_cast<int>(static_cast<float>(suffix.exponent) * 3 / 10) - 1;
}

/// resource.ParseQuantity. The error is the server's.
std::optional<std::string_view> ParseQuantity(std::string_view text, Decimal& number) {
  if (text.empty()) return kWrongForm;
  Written parts;
  if (!SplitQuantity(text, parts)) return kWrongForm;
  const std::optional<Suffix> suffix = FindSuffix(parts.suffix);
  if (!suffix) return kWrongSuffix;
  if (text.size() > static_cast<std::size_t>(kMostDigits)) return kWrongNumber;
  number.is_negative = parts.is_negative;
  number.digits = std::string(parts.whole).append(parts.fraction);
  StripZeros(number.digits);
  const std::int64_t scale = std::int64_t{suffix->base == 10 ? suffix->exponent : 0} -
                             static_cast<std::int64_t>(parts.fraction.size());
  number.scale = static_cast<std::int32_t>(std::clamp<std::int64_t>(scale, INT32_MIN, INT32_MAX));
  const bool is_small = Precision(parts, *suffix) >= 0 && number.scale >= kNano;
  if (suffix->base == 2)
    number.digits = TimesPowerOfTwo(std::move(number.digits), suffix->exponent);
  if (is_small && ToInt64(number.digits, false)) {
    if (number.is_zero()) number.is_negative = false;
    return std::nullopt;
  }
  number.is_decimal = true;
  CountInNanos(number);
  if (suffix->base == 2) {
    const Decimal most{true, false, 0, "9223372036854775807"};
    Decimal size = number;
    size.is_negative = false;
    if (Compare(size, most) > 0) {
      number.digits = most.digits;
      number.scale = 0;
    }
  }
  if (number.is_zero()) number.is_negative = false;
  return std::nullopt;
}

/// int64Amount.Add: false where the sum does not fit.
bool AddSmall(const Decimal& a, const Decimal& b, Decimal& sum) {
  if (b.is_zero()) {
    sum = a;
    return true;
  }
  if (a.is_zero()) {
    sum = b;
    return true;
  }
  const Decimal& wide = a.scale > b.scale ? a : b;
  const Decimal& other = a.scale > b.scale ? b : a;
  const std::int64_t zeros = std::int64_t{wide.scale} - other.scale;
  constexpr std::int64_t kMostZeros = 18;
  if (zeros > kMostZeros) return false;
  const std::string digits = wide.digits + std::string(static_cast<std::size_t>(zeros), '0');
  const auto first = ToInt64(digits, wide.is_negative);
  const auto second = ToInt64(other.digits, other.is_negative);
  std::int64_t total = 0;
  if (!first || !second || __builtin_add_overflow(*first, *second, &total)) return false;
  sum.is_negative = total < 0;
  sum.digits = std::to_string(total);
  if (sum.is_negative) sum.digits.erase(0, 1);
  sum.scale = other.scale;
  sum.is_decimal = false;
  return true;
}

Value Sum(Memory& memory, Decimal a, Decimal b) {
  Decimal sum;
  if (!a.is_decimal && !b.is_decimal && AddSmall(a, b, sum)) return MakeQuantity(memory, sum);
  if (!Align(a, b)) return Value::Error(kTooLarge);
  sum.is_decimal = true;
  sum.scale = a.scale;
  if (a.is_negative == b.is_negative) {
    sum.is_negative = a.is_negative;
    sum.digits = AddDigits(a.digits, b.digits);
  } else {
    const bool a_is_larger = CompareDigits(a.digits, b.digits) >= 0;
    sum.is_negative = a_is_larger ? a.is_negative : b.is_negative;
    sum.digits =
        a_is_larger ? SubtractDigits(a.digits, b.digits) : SubtractDigits(b.digits, a.digits);
  }
  if (sum.is_zero()) sum.is_negative = false;
  return MakeQuantity(memory, sum);
}

Value StringToQuantity(Memory& memory, Args args) {
  Decimal number;
  if (const auto error = ParseQuantity(args[0].text(), number)) return Value::Error(*error);
  return MakeQuantity(memory, number);
}

Value IsQuantity(Memory& /*memory*/, Args args) {
  Decimal number;
  return Value::Bool(!ParseQuantity(args[0].text(), number));
}

/// The second operand: a quantity or a whole number.
Decimal Operand(const Value& value) {
  if (value.kind != Value::Kind::kInt) return ToDecimal(Quantity(value));
  Decimal number;
  number.is_negative = value.integer < 0;
  number.digits = std::to_string(value.integer);
  if (number.is_negative) number.digits.erase(0, 1);
  return number;
}

Value AddQuantity(Memory& memory, Args args) {
  return Sum(memory, ToDecimal(Quantity(args[0])), Operand(args[1]));
}

Value SubtractQuantity(Memory& memory, Args args) {
  const Decimal quantity = ToDecimal(Quantity(args[0]));
  Decimal other = Operand(args[1]);
  if (other.is_negative && !other.is_decimal && other.digits == kSmallestInt) {
    // As an int64 it is its own negative, and the server adds that if it can.
    Decimal sum;
    if (!quantity.is_decimal && AddSmall(quantity, other, sum)) return MakeQuantity(memory, sum);
  }
  if (!other.is_zero()) other.is_negative = !other.is_negative;
  return Sum(memory, quantity, std::move(other));
}

std::optional<std::int64_t> AsInt(const QuantityValue& quantity) {
  if (quantity.is_decimal || quantity.scale < 0) return std::nullopt;
  if (quantity.digits == "0") return 0;
  if (quantity.scale > kIntDigits) return std::nullopt;
  const std::string zeros(static_cast<std::size_t>(quantity.scale), '0');
  return ToInt64(std::string(quantity.digits) + zeros, quantity.is_negative);
}

Value IsInteger(Memory& /*memory*/, Args args) {
  return Value::Bool(AsInt(Quantity(args[0])).has_value());
}

Value AsInteger(Memory& /*memory*/, Args args) {
  const auto value = AsInt(Quantity(args[0]));
  return value ? Value::Int(*value) : Value::Error("cannot convert value to integer");
}

Value AsFloat(Memory& /*memory*/, Args args) {
  const QuantityValue& quantity = Quantity(args[0]);
  const std::string digits = (quantity.is_negative ? "-" : "") + std::string(quantity.digits);
  const double base = std::strtod(digits.c_str(), nullptr);
  if (quantity.scale == 0) return Value::Double(base);
  // math.Pow10: 0 and infinity beyond what a float64 can be.
  double power = quantity.scale < -323 ? 0.0 : HUGE_VAL;
  if (quantity.scale >= -323 && quantity.scale <= 308) {
    power = std::strtod(("1e" + std::to_string(quantity.scale)).c_str(), nullptr);
  }
  return Value::Double(base * power);
}

Value Sign(Memory& /*memory*/, Args args) {
  const QuantityValue& quantity = Quantity(args[0]);
  return Value::Int(quantity.digits == "0" ? 0 : quantity.is_negative ? -1 : 1);
}

}  // namespace

int CompareQuantities(const QuantityValue& a, const QuantityValue& b) { return Compare(a, b); }

std::span<const Overload> QuantityLibrary() {
  constexpr std::string_view kOne = "kubernetes.Quantity";
  constexpr std::string_view kTwo = "kubernetes.Quantity, kubernetes.Quantity";
  constexpr std::string_view kWithInt = "kubernetes.Quantity, int";
  static const Overload rows[] = {
      ValueRow("quantity", "string_to_quantity", false, "string", kOne, StringToQuantity,
               kQuantitiesSince),
      ValueRow("isQuantity", "is_quantity_string", false, "string", "bool", IsQuantity,
               kQuantitiesSince),
      // Not a method, as the server has it.
      ValueRow("sign", "quantity_sign", false, kOne, "int", Sign, kQuantitiesSince),
      ValueRow("isGreaterThan", "quantity_is_greater_than", true, kTwo, "bool", IsGreaterThan,
               kQuantitiesSince),
      ValueRow("isLessThan", "quantity_is_less_than", true, kTwo, "bool", IsLessThan,
               kQuantitiesSince),
      ValueRow("compareTo", "quantity_compare_to", true, kTwo, "int", CompareTo, kQuantitiesSince),
      ValueRow("asApproximateFloat", "quantity_get_float", true, kOne, "double", AsFloat,
               kQuantitiesSince),
      ValueRow("asInteger", "quantity_get_int", true, kOne, "int", AsInteger, kQuantitiesSince),
      ValueRow("isInteger", "quantity_is_integer", true, kOne, "bool", IsInteger, kQuantitiesSince),
      ValueRow("add", "quantity_add", true, kTwo, kOne, AddQuantity, kQuantitiesSince),
      ValueRow("add", "quantity_add_int", true, kWithInt, kOne, AddQuantity, kQuantitiesSince),
      ValueRow("sub", "quantity_sub", true, kTwo, kOne, SubtractQuantity, kQuantitiesSince),
      ValueRow("sub", "quantity_sub_int", true, kWithInt, kOne, SubtractQuantity, kQuantitiesSince),
  };
  return rows;
}

}  // namespace kube::cel
