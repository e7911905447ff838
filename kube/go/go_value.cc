#include "kube/go/go_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kube/go/go_format.h"

namespace kube::go {
namespace {

bool SameNumber(const json::Value& a, const json::Value& b) {
  const Number x = ReadNumber(a);
  const Number y = ReadNumber(b);
  if (x.is_integer != y.is_integer) return false;
  return x.is_integer ? x.integer == y.integer : x.real == y.real;
}

bool SameElements(const json::Value& a, const json::Value& b) {
  return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(),
                    b.elements().end(), GoDeepEqual);
}

bool SameMembers(const json::Value& a, const json::Value& b) {
  return a.size() == b.size() &&
         std::all_of(a.members().begin(), a.members().end(), [&b](const json::Member& member) {
           const json::Value* other = b.Find(member.key.text());
           return other && GoDeepEqual(member.value, *other);
         });
}

void AppendIdentity(std::string& out, const json::Value& value);

void AppendMembers(std::string& out, const json::Value& object) {
  std::map<std::string_view, const json::Value*> sorted;
  for (const json::Member& member : object.members()) {
    sorted.emplace(member.key.text(), &member.value);
  }
  for (const auto& [key, value] : sorted) {
    json::PrintTo(out, json::Value::String(key));
    AppendIdentity(out, *value);
  }
}

void AppendIdentity(std::string& out, const json::Value& value) {
  if (value.is_number()) {
    const Number number = ReadNumber(value);
    out +=
        number.is_integer ? std::to_string(number.integer) : "f" + json::FormatFloat(number.real);
  } else if (value.is_array()) {
    out += '[';
    for (const json::Value& element : value.elements()) AppendIdentity(out, element);
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    AppendMembers(out, value);
    out += '}';
  } else {
    json::PrintTo(out, value);
  }
  out += ',';
}

}  // namespace

Number ReadNumber(const json::Value& value) {
  if (const auto integer = json::AsInt64(value)) {
    return {true, *integer, static_cast<double>(*integer)};
  }
  const double infinity = std::numeric_limits<double>::infinity();
  return {false, 0, json::AsDouble(value).value_or(infinity)};
}

bool GoDeepEqual(const json::Value& a, const json::Value& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case json::Type::kNull:
      return true;
    case json::Type::kBool:
      return a.AsBool() == b.AsBool();
    case json::Type::kNumber:
      return SameNumber(a, b);
    case json::Type::kString:
      return a.text() == b.text();
    case json::Type::kArray:
      return SameElements(a, b);
    case json::Type::kObject:
      return SameMembers(a, b);
  }
  return false;
}

std::string GoIdentity(const json::Value& value) {
  std::string identity;
  AppendIdentity(identity, value);
  return identity;
}

std::int64_t ToInt64(double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(real >= -kLimit && real < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(real);
}

}  // namespace kube::go
