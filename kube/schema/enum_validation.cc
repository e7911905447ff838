#include "kube/schema/enum_validation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "kube/go/go_value.h"
#include "kube/meta/make_field_error.h"

namespace kube::schema {
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
