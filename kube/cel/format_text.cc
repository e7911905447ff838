#include "kube/cel/format_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/cel/cost.h"
#include "kube/cel/numbers.h"
#include "kube/cel/time.h"
#include "kube/go/go_format.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;
using Text = base::Result<std::string, std::string>;

Text WrongType(const FormatClause& clause, const Value& value) {
  return base::Unexpected(ClauseProblem(clause, RuntimeTypeName(value)));
}

/// 1234567.891 -> 1,234,567.891, as the printer of the English locale does.
std::string GroupDigits(std::string text) {
  const std::size_t start = text.starts_with('-') ? 1 : 0;
  std::size_t end = base::SkipDigits(text, start);
  while (end > start + 3) {
    end -= 3;
    text.insert(end, 1, ',');
  }
  return text;
}

std::string FormatNotFinite(double value) {
  if (std::isnan(value)) return "NaN";
  return value < 0 ? "-\xE2\x88\x9E" : "\xE2\x88\x9E";
}

/// 1.052033e+03 -> 1.052033 x 10^03 with the signs of the English locale.
std::string FormatExponent(double value) {
  const std::string plain = FormatScientific(value, 6);
  const std::size_t e = plain.find('e');
  static constexpr std::string_view kDigits[] = {
      "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
      "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
  std::string out = plain.substr(0, e) +
                    "\xC3\x97"
                    "10";
  for (const char c : plain.substr(e + 1)) {
    if (c == '-') out += "\xE2\x81\xBB";
    if (base::IsDigit(c)) out += kDigits[c - '0'];
  }
  return out;
}

/// True where golang.org/x/text gives a number up: it was above a million before its last digit.
/// The verb is missing then.
bool IsTooLong(std::int64_t precision) { return precision / 10 > 1'000'000; }

/// %f with so many digits behind the point. golang.org/x/text keeps the least number of digits in 8
/// bits and the largest in 16 with a sign, of which a negative one is none.
std::string FormatFraction(double real, std::int64_t precision) {
  const auto least = static_cast<std::size_t>(static_cast<std::uint8_t>(precision));
  const auto most = static_cast<std::int16_t>(precision);
  constexpr int kMostDigits = 1074;  // that a double has behind the point
  std::string text =
      most < 0 ? FormatFixed(real) : FormatFixed(real, std::min<int>(most, kMostDigits));
  std::size_t point = text.find('.');
  if (point == std::string::npos) {
    point = text.size();
    text += '.';
  }
  const std::size_t digits = std::max(text.find_last_not_of('0'), point) - point;
  text.resize(point + 1 + std::max(digits, least), '0');
  if (text.back() == '.') text.pop_back();
  return GroupDigits(std::move(text));
}

Text FormatReal(const FormatClause& clause, const Value& value) {
  double real = value.real;
  if (value.kind != Kind::kDouble) {
    const bool is_name =
        value.is_string() &&
        (value.text() == "NaN" || value.text() == "Infinity" || value.text() == "-Infinity");
    if (!is_name) return WrongType(clause, value);
    real = *ParseFloat(value.text());
  }
  if (real == 0) real = 0;  // -0 has no sign
  if (IsTooLong(clause.precision)) return std::string("%!(NOVERB)");
  if (clause.letter == 'f') {
    return std::isfinite(real) ? FormatFraction(real, clause.precision) : FormatNotFinite(real);
  }
  // %.3e is taken for %3e: the precision is the least width, in 16 bits.
  std::string text = std::isfinite(real) ? FormatExponent(real) : FormatNotFinite(real);
  const std::int64_t missing =
      static_cast<std::uint16_t>(clause.precision) - base::utf8::CountCharacters(text);
  if (missing > 0) text.insert(0, static_cast<std::size_t>(missing), ' ');
  return text;
}

std::string InBase(const Value& value, int base, bool is_upper) {
  char text[72];
  const auto result = value.kind == Kind::kInt
                          ? std::to_chars(text, text + sizeof text, value.integer, base)
                          : std::to_chars(text, text + sizeof text, value.natural, base);
  std::string out(text, result.ptr);
  if (is_upper) {
    for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

Text FormatHex(const FormatClause& clause, const Value& value) {
  const bool is_upper = clause.letter == 'X';
  if (value.kind == Kind::kInt || value.kind == Kind::kUint) return InBase(value, 16, is_upper);
  if (!value.is_string() && value.kind != Kind::kBytes) return WrongType(clause, value);
  const std::string_view digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  for (const char c : value.text()) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

/// An element of a list or map: numbers as %d and %f, times as they are written, texts quoted.
Text FormatElement(Memory& memory, const Value& value) {
  memory.Visit();
  memory.VisitText(value);
  switch (value.kind) {
    case Kind::kInt:
    case Kind::kUint:
      return InBase(value, 10, false);
    case Kind::kDouble:
      if (!std::isfinite(value.real)) {
        return go::GoQuote(std::isnan(value.real) ? "NaN" : value.real < 0 ? "-Inf" : "+Inf");
      }
      return FormatFixed(value.real, 6);
    case Kind::kString:
      return go::GoQuote(value.text());
    case Kind::kBytes: {
      if (!base::utf8::IsValid(value.text())) {
        return base::Unexpected("could not convert argument " +
                                go::GoQuote("invalid UTF-8 in bytes, cannot convert to string") +
                                " to string");
      }
      return "b" + go::GoQuote(value.text());
    }
    case Kind::kTimestamp:
      return "timestamp(" + go::GoQuote(FormatTimestamp(value)) + ")";
    case Kind::kDuration:
      return "duration(" + go::GoQuote(FormatSeconds(value.integer) + "s") + ")";
    case Kind::kType:
      return "type(" + value.type->name + ")";
    case Kind::kError:  // what nobody could read as the map was made
    case Kind::kOptional:
    case Kind::kOpaque:
      return base::Unexpected("no formatting function for " + std::string(RuntimeTypeName(value)));
    default:
      return FormatArgument(memory, {}, value);
  }
}

/// Adds what a list or map holds to its text.
void AddPart(Memory& memory, std::string_view part, std::string& out) {
  memory.VisitText(part);
  if (out.size() + part.size() > kLongestText) throw GivenUp();
  out += part;
}

Text FormatList(Memory& memory, const Value& list) {
  const Memory::Level level(memory);
  std::string out = "[";
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    if (i > 0) out += ", ";
    const Text item = FormatElement(memory, ListItem(memory, list, i));
    if (!item) return item;
    AddPart(memory, *item, out);
  }
  return out + "]";
}

Text FormatMap(Memory& memory, const Value& map) {
  const Memory::Level level(memory);
  std::vector<std::pair<std::string, std::string>> entries;
  for (MapCursor cursor(memory, map); !cursor.AtEnd(); cursor.Next()) {
    if (cursor.IsUnnamed()) throw GivenUp{kNilPointer};
    const MapEntry entry = cursor.Entry();
    const bool is_key = entry.key.is_string() || entry.key.is_bool() ||
                        entry.key.kind == Kind::kInt || entry.key.kind == Kind::kUint;
    if (!is_key) {
      return base::Unexpected("no formatting function for map key of type " +
                              std::string(RuntimeTypeName(entry.key)));
    }
    Text key = FormatElement(memory, entry.key);
    if (HasSchema(map) && entry.value.is_error() &&
        entry.value.text().starts_with("no such key: ")) {
      return base::Unexpected("could not find key: " + *key);
    }
    Text value = FormatElement(memory, entry.value);
    if (!value) return value;
    entries.emplace_back(*std::move(key), *std::move(value));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out = "{";
  for (const auto& [key, value] : entries) {
    if (out.size() > 1) out += ", ";
    AddPart(memory, key + ":" + value, out);
  }
  return out + "}";
}

Text FormatAsString(Memory& memory, const FormatClause& clause, const Value& value) {
  switch (value.kind) {
    case Kind::kJsonList:
    case Kind::kList:
      return FormatList(memory, value);
    case Kind::kMap:
    case Kind::kJsonMap:
    case Kind::kObject:
      return FormatMap(memory, value);
    case Kind::kNull:
      return std::string("null");
    case Kind::kBool:
      return std::string(value.boolean ? "true" : "false");
    case Kind::kInt:
    case Kind::kUint:
      return InBase(value, 10, false);
    case Kind::kDouble:
      return json::FormatFloatG(value.real);
    case Kind::kString:
      return std::string(value.text());
    case Kind::kBytes:
      if (!base::utf8::IsValid(value.text())) return FormatElement(memory, value);
      return std::string(value.text());
    case Kind::kTimestamp:
      return FormatTimestamp(value);
    case Kind::kDuration:
      return FormatSeconds(value.integer) + "s";
    case Kind::kType:
      return value.type->name;
    default:
      return WrongType(clause, value);
  }
}

}  // namespace

Text FormatArgument(Memory& memory, const FormatClause& clause, const Value& value) {
  const bool is_integer = value.kind == Kind::kInt || value.kind == Kind::kUint;
  switch (clause.letter) {
    case 's':
      return FormatAsString(memory, clause, value);
    case 'f':
    case 'e':
      return FormatReal(clause, value);
    case 'x':
    case 'X':
      return FormatHex(clause, value);
    case 'b':
      if (value.is_bool()) return std::string(value.boolean ? "1" : "0");
      break;
    default:
      break;
  }
  if (!is_integer) return WrongType(clause, value);
  return InBase(value, clause.letter == 'b' ? 2 : clause.letter == 'o' ? 8 : 10, false);
}

std::string ClauseProblem(const FormatClause& clause, std::string_view type_name) {
  std::string_view text;
  switch (clause.letter) {
    case 'd':
      text = "decimal clause can only be used on integers";
      break;
    case 'f':
      text = "fixed-point clause can only be used on doubles";
      break;
    case 'e':
      text = "scientific clause can only be used on doubles";
      break;
    case 'b':
      text = "only integers and bools can be formatted as binary";
      break;
    case 'x':
    case 'X':
      text = "only integers, byte buffers, and strings can be formatted as hex";
      break;
    case 'o':
      text = "octal clause can only be used on integers";
      break;
    default:
      text =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps";
      break;
  }
  return std::string(text) + ", was given " + std::string(type_name);
}

FormatReader::Step FormatReader::Fail(std::string error) {
  error_ = std::move(error);
  return Step::kError;
}

FormatReader::Step FormatReader::Next(std::size_t argument_count) {
  if (rest_.empty()) return Step::kEnd;
  if (rest_.starts_with("%%")) {
    text_ = rest_.substr(0, 1);
    rest_.remove_prefix(2);
    return Step::kText;
  }
  if (rest_[0] == '%') return ReadClause(argument_count);
  text_ = rest_.substr(0, rest_.find('%'));
  rest_.remove_prefix(text_.size());
  return Step::kText;
}

FormatReader::Step FormatReader::ReadClause(std::size_t argument_count) {
  if (next_argument_ >= argument_count) {
    return Fail("index " + std::to_string(next_argument_) + " out of range");
  }
  rest_.remove_prefix(1);
  if (rest_.empty()) return Fail("unexpected end of string");
  if (!ReadPrecision()) return Step::kError;
  clause_.letter = rest_[0];
  rest_.remove_prefix(1);
  ++next_argument_;
  if (std::string_view("sdfebxXo").find(clause_.letter) != std::string_view::npos) {
    return Step::kClause;
  }
  // A byte is a character here.
  std::string character;
  base::utf8::Append(character, static_cast<unsigned char>(clause_.letter));
  return Fail("could not parse formatting clause: unrecognized formatting clause \"" + character +
              "\"");
}

bool FormatReader::ReadPrecision() {
  constexpr std::string_view kPrefix =
      "could not parse formatting clause: error while parsing precision: ";
  clause_.precision = 6;
  if (rest_[0] != '.') return true;
  const std::size_t end = base::SkipDigits(rest_, 1);
  if (end >= rest_.size()) {
    Fail(std::string(kPrefix) + "could not find end of precision specifier");
    return false;
  }
  const std::string_view digits = rest_.substr(1, end - 1);
  const auto [stop, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), clause_.precision);
  if (code != std::errc()) {
    Fail(std::string(kPrefix) +
         "error while converting precision to integer: strconv.Atoi: "
         "parsing " +
         go::GoQuote(digits) + (digits.empty() ? ": invalid syntax" : ": value out of range"));
    return false;
  }
  rest_.remove_prefix(end);
  return true;
}

}  // namespace kube::cel
