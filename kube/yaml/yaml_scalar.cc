#include "kube/yaml/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <system_error>

#include "kube/base/text.h"

namespace kube::yaml {
namespace {

using kube::base::IsDigit;

// Reads as Go's time.Parse does for the layouts of go-yaml's resolve.go: one or two digits for
// everything but the year, fractions of a second may follow the seconds.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }

  bool Take(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A number of `least` to `most` digits that is at most `limit`.
  bool TakeNumber(std::size_t least, std::size_t most, int limit, int& number) {
    std::size_t count = 0;
    number = 0;
    for (; count < most && !AtEnd() && IsDigit(text_[at_]); ++count) {
      number = number * 10 + (text_[at_++] - '0');
    }
    return count >= least && number <= limit;
  }

  bool TakeClock() {
    int ignored = 0;
    if (!TakeNumber(1, 2, 23, ignored) || !Take(':')) return false;
    if (!TakeNumber(1, 2, 59, ignored) || !Take(':')) return false;
    if (!TakeNumber(1, 2, 59, ignored)) return false;
    TakeFraction();
    return true;
  }

  bool TakeZone() {
    if (Take('Z')) return true;
    if (!Take('+') && !Take('-')) return false;
    int ignored = 0;
    return TakeNumber(2, 2, 24, ignored) && Take(':') && TakeNumber(2, 2, 60, ignored);
  }

  bool TakeBlanks() {
    if (!Take(' ')) return false;
    while (Take(' ')) continue;
    return true;
  }

 private:
  void TakeFraction() {
    if (text_.size() - at_ < 2 || !IsDigit(text_[at_ + 1])) return;
    if (text_[at_] != '.' && text_[at_] != ',') return;
    ++at_;
    for (int i = 0; i < 9 && !AtEnd() && IsDigit(text_[at_]); ++i) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

int DaysIn(int month, int year) {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

bool TakeDate(Reader& reader) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!reader.TakeNumber(4, 4, 9999, year) || !reader.Take('-')) return false;
  if (!reader.TakeNumber(1, 2, 12, month) || !reader.Take('-')) return false;
  return month > 0 && reader.TakeNumber(1, 2, DaysIn(month, year), day) && day > 0;
}

}  // namespace

bool IsTimestamp(std::string_view text) {
  if (text.size() < 8 || text[4] != '-') return false;
  Reader reader(text);
  if (!TakeDate(reader)) return false;
  if (reader.AtEnd()) return true;
  if (reader.Take('T') || reader.Take('t')) {
    return reader.TakeClock() && reader.TakeZone() && reader.AtEnd();
  }
  return reader.TakeBlanks() && reader.TakeClock() && reader.AtEnd();
}

namespace {

using kube::base::SkipDigits;

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

Scalar Kind(ScalarKind kind) {
  Scalar scalar;
  scalar.kind = kind;
  return scalar;
}

Scalar Bool(bool boolean) {
  Scalar scalar = Kind(ScalarKind::kBool);
  scalar.boolean = boolean;
  return scalar;
}

Scalar Int(std::int64_t integer) {
  Scalar scalar = Kind(ScalarKind::kInt);
  scalar.integer = integer;
  return scalar;
}

Scalar Float(double number) {
  Scalar scalar = Kind(ScalarKind::kFloat);
  scalar.number = number;
  return scalar;
}

bool IsAnyOf(std::string_view text, std::string_view lower, std::string_view title,
             std::string_view upper) {
  return text == lower || text == title || text == upper;
}

// "y" and "n" are booleans too, whatever YAML 1.2 says.
std::optional<Scalar> FindWord(std::string_view text) {
  if (text.size() > 5) return std::nullopt;
  if (text.empty() || text == "~" || IsAnyOf(text, "null", "Null", "NULL")) {
    return Kind(ScalarKind::kNull);
  }
  if (text == "y" || text == "Y" || IsAnyOf(text, "yes", "Yes", "YES") ||
      IsAnyOf(text, "true", "True", "TRUE") || IsAnyOf(text, "on", "On", "ON")) {
    return Bool(true);
  }
  if (text == "n" || text == "N" || IsAnyOf(text, "no", "No", "NO") ||
      IsAnyOf(text, "false", "False", "FALSE") || IsAnyOf(text, "off", "Off", "OFF")) {
    return Bool(false);
  }
  return std::nullopt;
}

std::optional<Scalar> FindSpecialFloat(std::string_view text) {
  if (IsAnyOf(text, ".nan", ".NaN", ".NAN")) return Float(std::nan(""));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!IsAnyOf(text, ".inf", ".Inf", ".INF")) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return Float(negative ? -infinity : infinity);
}

// The base that strconv.ParseInt takes from the prefix, which is cut off.
int TakeBase(std::string_view& digits) {
  if (!digits.starts_with('0')) return 10;
  const char prefix = digits.size() >= 3 ? static_cast<char>(digits[1] | 0x20) : '\0';
  const int base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

Scalar IntOf(std::uint64_t magnitude) {
  if (magnitude <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Int(static_cast<std::int64_t>(magnitude));
  }
  Scalar scalar = Kind(ScalarKind::kUint);
  scalar.unsigned_integer = magnitude;
  return scalar;
}

// strconv.ParseInt(text, 0, 64), then ParseUint, which takes no sign.
std::optional<Scalar> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool positive = text.starts_with('+');
  if (negative || positive) text.remove_prefix(1);
  if (text == "0") return Int(0);
  const int base = TakeBase(text);
  std::uint64_t magnitude = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  constexpr std::uint64_t kMinMagnitude = std::uint64_t{1} << 63;
  if (negative && magnitude > kMinMagnitude) return std::nullopt;
  if (negative) return Int(static_cast<std::int64_t>(0 - magnitude));
  if (positive && magnitude >= kMinMagnitude) return std::nullopt;
  return IntOf(magnitude);
}

// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool IsFloat(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = SkipDigits(text, 0);
  std::size_t at = whole;
  if (at < text.size() && text[at] == '.') {
    at = SkipDigits(text, at + 1);
    if (whole == 0 && at == 1) return false;
  } else if (whole == 0) {
    return false;
  }
  if (at == text.size()) return true;
  if ((text[at] | 0x20) != 'e') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const std::size_t end = SkipDigits(text, at);
  return end > at && end == text.size();
}

// strconv.ParseFloat of a text that IsFloat; absent where the number is too large. What is too
// small for a float64 is 0 in Go, but an error for from_chars.
std::optional<Scalar> ParseFloat(std::string_view text) {
  if (!IsFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    number = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(number)) return std::nullopt;
  }
  return Float(number);
}

std::string WithoutUnderscores(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  return plain;
}

std::optional<Scalar> ParseNumber(std::string_view text) {
  if (text.find('_') != std::string_view::npos) return ParseNumber(WithoutUnderscores(text));
  if (const auto integer = ParseInteger(text)) return integer;
  return ParseFloat(text);
}

// Go takes an underscore between two digits in what starts with a point, as ParseFloat is handed
// the text as it is there.
std::optional<Scalar> ParseFraction(std::string_view text) {
  for (std::size_t i = text.find('_'); i != std::string_view::npos; i = text.find('_', i + 1)) {
    if (!IsDigit(text[i - 1]) || i + 1 == text.size() || !IsDigit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return ParseFloat(WithoutUnderscores(text));
}

std::optional<Scalar> ResolveNumber(std::string_view text) {
  if (const auto special = FindSpecialFloat(text)) return special;
  return text.front() == '.' ? ParseFraction(text) : ParseNumber(text);
}

enum class Timestamps : bool { kNo, kYes };

Scalar Resolve(std::string_view text, Timestamps timestamps) {
  if (text.empty()) return Kind(ScalarKind::kNull);
  std::optional<Scalar> found;
  switch (text.front()) {
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
    case '+':
    case '-':
      if (timestamps == Timestamps::kYes && IsTimestamp(text)) return Kind(ScalarKind::kTimestamp);
      [[fallthrough]];
    case '.':
      found = ResolveNumber(text);
      break;
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'o':
    case 'O':
    case '~':
      found = FindWord(text);
      break;
    default:
      break;
  }
  return found.value_or(Scalar{});
}

std::string_view TagOf(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kNull:
      return "null";
    case ScalarKind::kBool:
      return "bool";
    case ScalarKind::kInt:
    case ScalarKind::kUint:
      return "int";
    case ScalarKind::kFloat:
      return "float";
    case ScalarKind::kTimestamp:
      return "timestamp";
    case ScalarKind::kString:
      break;
  }
  return "str";
}

bool IsResolvable(std::string_view type) {
  static constexpr std::array<std::string_view, 5> kTypes{"bool", "int", "float", "null",
                                                          "timestamp"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

template <typename T>
std::string_view NumberText(T number, json::Arena& arena) {
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return arena.Copy(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

// strconv.FormatFloat(number, 'g', -1, 32), which sigs.k8s.io/yaml uses for keys (yes, it loses
// digits), with go-yaml's words for what is no number.
std::string KeyFloat(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::fabs(number) > std::numeric_limits<float>::max()) return number > 0 ? ".inf" : "-.inf";
  const auto narrow = static_cast<float>(number);
  const double magnitude = std::fabs(narrow);
  const bool fixed = magnitude == 0 || (magnitude >= 1e-4F && magnitude < 1e6);
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), narrow,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  return std::string(text.data(), end);
}

}  // namespace

Scalar ResolvePlain(std::string_view text) { return Resolve(text, Timestamps::kYes); }

base::Result<Scalar, std::string> ResolveTagged(std::string_view tag, std::string_view text) {
  if (!tag.starts_with(kTagPrefix)) return Scalar{};
  const std::string_view type = tag.substr(kTagPrefix.size());
  if (!IsResolvable(type)) return Scalar{};
  const Scalar scalar = Resolve(text, type == "timestamp" ? Timestamps::kYes : Timestamps::kNo);
  const std::string_view found = TagOf(scalar.kind);
  if (found == type) return scalar;
  if (type == "float" && scalar.kind == ScalarKind::kInt) {
    return Float(static_cast<double>(scalar.integer));
  }
  return base::Unexpected("cannot decode !!" + std::string(found) + " `" + std::string(text) +
                          "` as a !!" + std::string(type));
}

base::Result<json::Value, std::string> ToJson(const Scalar& scalar, std::string_view text,
                                              json::Arena& arena) {
  switch (scalar.kind) {
    case ScalarKind::kNull:
      return json::Value();
    case ScalarKind::kBool:
      return json::Value::Bool(scalar.boolean);
    case ScalarKind::kInt:
      return json::Value::Number(NumberText(scalar.integer, arena));
    case ScalarKind::kUint:
      return json::Value::Number(NumberText(scalar.unsigned_integer, arena));
    case ScalarKind::kFloat:
      if (!std::isfinite(scalar.number)) {
        return base::Unexpected("json: unsupported value: " + json::FormatFloatG(scalar.number));
      }
      return json::Value::Number(arena.Copy(json::FormatFloat(scalar.number)));
    case ScalarKind::kTimestamp:
    case ScalarKind::kString:
      break;
  }
  return json::Value::String(text);
}

base::Result<json::Value, std::string> ToKey(const Scalar& scalar, std::string_view text,
                                             json::Arena& arena) {
  switch (scalar.kind) {
    case ScalarKind::kNull:
      return base::Unexpected(std::string("unsupported map key of type: null"));
    case ScalarKind::kUint:
      return base::Unexpected("unsupported map key of type: uint64, key: " + std::string(text));
    case ScalarKind::kBool:
      return json::Value::String(scalar.boolean ? "true" : "false");
    case ScalarKind::kInt:
      return json::Value::String(NumberText(scalar.integer, arena));
    case ScalarKind::kFloat:
      return json::Value::String(arena.Copy(KeyFloat(scalar.number)));
    case ScalarKind::kTimestamp:
    case ScalarKind::kString:
      break;
  }
  return json::Value::String(text);
}

}  // namespace kube::yaml
