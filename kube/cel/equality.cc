// ==, the order of values, and + of lists, which depend on each other for sets and lists of type
// map (apiserver pkg/cel/common/valuesunstructured.go).
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "kube/cel/numbers.h"
#include "kube/cel/opaque.h"
#include "kube/cel/schema_type.h"
#include "kube/cel/value.h"
#include "kube/go/go_value.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

int OrderDoubleInt(double d, std::int64_t i) {
  if (d < -kTwoTo63) return -1;
  if (d > kTwoTo63) return 1;
  return Order(d, static_cast<double>(i));
}
int OrderDoubleUint(double d, std::uint64_t u) {
  if (d < 0) return -1;
  if (d > kTwoTo64) return 1;
  return Order(d, static_cast<double>(u));
}
int OrderIntUint(std::int64_t i, std::uint64_t u) {
  return i < 0 ? -1 : Order(static_cast<std::uint64_t>(i), u);
}

std::optional<int> CompareNumbers(const Value& a, const Value& b) {
  if ((a.kind == Kind::kDouble && std::isnan(a.real)) ||
      (b.kind == Kind::kDouble && std::isnan(b.real))) {
    return std::nullopt;
  }
  if (a.kind == Kind::kInt) {
    if (b.kind == Kind::kInt) return Order(a.integer, b.integer);
    if (b.kind == Kind::kUint) return OrderIntUint(a.integer, b.natural);
    return -OrderDoubleInt(b.real, a.integer);
  }
  if (a.kind == Kind::kUint) {
    if (b.kind == Kind::kUint) return Order(a.natural, b.natural);
    if (b.kind == Kind::kInt) return -OrderIntUint(b.integer, a.natural);
    return -OrderDoubleUint(b.real, a.natural);
  }
  if (b.kind == Kind::kInt) return OrderDoubleInt(a.real, b.integer);
  if (b.kind == Kind::kUint) return OrderDoubleUint(a.real, b.natural);
  return Order(a.real, b.real);
}

bool IsSet(const Value& list) {
  return list.schema != nullptr && list.schema->kind == SchemaType::Kind::kSet;
}
bool IsListMap(const Value& list) {
  return list.schema != nullptr && list.schema->kind == SchemaType::Kind::kListMap;
}

/// A text that two values share only if Go finds them equal as keys of a map, before any schema
/// made more of them; empty for what is equal to none of JSON. Bytes cannot be a key: the server's
/// library panics.
std::string Identity(const Value& value) {
  switch (value.kind) {
    case Kind::kString:
      return "s" + std::string(value.text());
    case Kind::kInt:
      return "i" + std::to_string(value.integer);
    case Kind::kDouble:
      return "d" + json::FormatFloatG(value.real);
    case Kind::kBool:
      return value.boolean ? "true" : "false";
    case Kind::kBytes:
      throw GivenUp{"internal error: runtime error: hash of unhashable type []uint8"};
    default:
      return "";
  }
}

/// The element of a set as it stands in JSON.
Value RawItem(Memory& memory, const Value& list, std::uint32_t index) {
  if (list.kind == Kind::kList) return ListItem(memory, list, index);
  return ReadJson(memory, list.json->elements()[index], nullptr);
}

std::unordered_set<std::string> SetOf(Memory& memory, const Value& list) {
  std::unordered_set<std::string> set;
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    memory.Visit();
    set.insert(Identity(RawItem(memory, list, i)));
  }
  return set;
}

bool EqualSets(Memory& memory, const Value& a, const Value& b) {
  const std::unordered_set<std::string> set = SetOf(memory, a);
  for (std::uint32_t i = 0; i < ListSize(b); ++i) {
    memory.Visit();
    const std::string identity = Identity(ListItem(memory, b, i));
    if (identity.empty() || !set.contains(identity)) return false;
  }
  return true;
}

/// By what an element of a list of type map is known; absent where it is no object.
std::optional<std::string> KeyOfElement(const Value& element, const SchemaType& list) {
  if (element.kind != Kind::kObject && element.kind != Kind::kJsonMap) return std::nullopt;
  std::string identity;
  // The server compares up to three keys as values, and of more what fmt.Sprintf("%v") prints.
  const bool is_printed = list.map_keys.size() > 3;
  for (const std::string& key : list.map_keys) {
    const json::Value* value = element.json->Find(key);
    if (is_printed) {
      identity +=
          value == nullptr || value->is_null() ? "<nil> " : std::string(value->text()) + " ";
      continue;
    }
    const std::string part = value == nullptr ? "null" : go::GoIdentity(*value);
    identity += std::to_string(part.size()) + ":" + part;
  }
  return identity;
}

using ElementsByKey = std::unordered_map<std::string, std::uint32_t>;

/// The positions of the elements of a list of type map; of those with the same keys the last.
ElementsByKey IndexElements(Memory& memory, const Value& list) {
  ElementsByKey elements;
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    memory.Visit();
    const auto key = KeyOfElement(ListItem(memory, list, i), *list.schema);
    elements[key.value_or("")] = i;
  }
  return elements;
}

bool EqualListMaps(Memory& memory, const Value& a, const Value& b) {
  const ElementsByKey elements = IndexElements(memory, a);
  const Memory::Level level(memory);
  for (std::uint32_t i = 0; i < ListSize(b); ++i) {
    const Value item = ListItem(memory, b, i);
    const auto key = KeyOfElement(item, *a.schema);
    const auto found = key ? elements.find(*key) : elements.end();
    if (found == elements.end()) return false;
    if (!Equal(memory, ListItem(memory, a, found->second), item)) return false;
  }
  return true;
}

/// Of lists and maps that expressions make: cel-go takes what cannot be compared for equal there.
bool AreNotUnequal(Memory& memory, const Value& a, const Value& b) {
  return Equal(memory, a, b) || memory.TakeUnreadable().is_error();
}

bool EqualLists(Memory& memory, const Value& a, const Value& b) {
  const std::uint32_t size = ListSize(a);
  if (size != ListSize(b)) return false;
  if (IsSet(a)) return EqualSets(memory, a, b);
  if (IsListMap(a)) return EqualListMaps(memory, a, b);
  const Memory::Level level(memory);
  for (std::uint32_t i = 0; i < size; ++i) {
    const Value item = ListItem(memory, a, i);
    const Value other = ListItem(memory, b, i);
    const bool is_equal =
        a.schema == nullptr ? AreNotUnequal(memory, item, other) : Equal(memory, item, other);
    if (!is_equal) return false;
  }
  return true;
}

/// An object with a schema beside another one: fields without a schema count as they stand there,
/// and only where both have them.
bool EqualObjects(Memory& memory, const Value& a, const Value& b) {
  for (const json::Member& member : a.json->members()) {
    memory.Visit();
    const std::string_view key = member.key.text();
    if (!IsKnownKey(a, key)) {
      if (!HasSchema(b)) return false;
      const json::Value* other = memory.Find(*b.json, key);
      if (other != nullptr && !go::GoDeepEqual(member.value, *other)) return false;
      continue;
    }
    const Value value = MapFind(memory, a, Value::String(key));
    const Value other = MapFind(memory, b, Value::String(key));
    if ((value.kind == Kind::kUnset) != (other.kind == Kind::kUnset)) return false;
    if (value.kind != Kind::kUnset && !Equal(memory, value, other)) return false;
  }
  return true;
}

bool EqualMaps(Memory& memory, const Value& a, const Value& b) {
  if (MapSize(a) != MapSize(b)) return false;
  const Memory::Level level(memory);
  if (HasSchema(a)) return EqualObjects(memory, a, b);
  for (MapCursor cursor(memory, a); !cursor.AtEnd(); cursor.Next()) {
    const MapEntry entry = cursor.Entry();
    const Value other = MapFind(memory, b, entry.key);
    if (other.kind == Kind::kUnset || !AreNotUnequal(memory, entry.value, other)) return false;
  }
  return true;
}

bool EqualOptionals(Memory& memory, const Value& a, const Value& b) {
  if (a.inner == nullptr || b.inner == nullptr) return a.inner == b.inner;
  const Memory::Level level(memory);
  return Equal(memory, *a.inner, *b.inner);
}

bool EqualTexts(Memory& memory, const Value& a, const Value& b) {
  if (a.size != b.size) return false;
  memory.VisitText(a.text());
  return a.text() == b.text();
}

}  // namespace

bool Equal(Memory& memory, const Value& a, const Value& b) {
  memory.Visit();
  if (a.is_error()) {
    memory.SetUnreadable(a);
    return false;
  }
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.is_list() && b.is_list()) return EqualLists(memory, a, b);
  if (a.is_map() && b.is_map()) return EqualMaps(memory, a, b);
  if (a.kind != b.kind) {
    // Lists and maps of an object refuse to be compared with what is none.
    const bool is_of_object = (a.is_list() && a.schema != nullptr) || HasSchema(a);
    if (is_of_object && b.kind != Kind::kNull) memory.SetUnreadable(Value::Error(kNoOverload));
    return false;
  }
  switch (a.kind) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.boolean == b.boolean;
    case Kind::kString:
    case Kind::kBytes:
      return EqualTexts(memory, a, b);
    case Kind::kDuration:
      return a.integer == b.integer;
    case Kind::kTimestamp:
      return a.integer == b.integer && a.size == b.size;
    case Kind::kOptional:
      return EqualOptionals(memory, a, b);
    case Kind::kType:
      return a.type->name == b.type->name;
    case Kind::kOpaque:
      memory.VisitText(a);
      return EqualOpaque(*a.opaque, *b.opaque);
    case Kind::kPreserved:
      return go::GoDeepEqual(*a.json, *b.json);
    default:
      return false;
  }
}

std::optional<int> Compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case Kind::kBool:
      return Order(a.boolean, b.boolean);
    case Kind::kString:
    case Kind::kBytes:
      return Order(a.text().compare(b.text()), 0);
    case Kind::kDuration:
      return Order(a.integer, b.integer);
    case Kind::kTimestamp:
      return a.integer != b.integer ? Order(a.integer, b.integer) : Order(a.size, b.size);
    default:
      return std::nullopt;
  }
}

Value AddLists(Memory& memory, const Value& a, const Value& b) {
  const bool may_change = a.kind == Kind::kList && a.is_mutable;
  Value list = may_change ? a : memory.NewList(ListSize(a) + ListSize(b));
  list.schema = a.schema;
  if (!may_change) {
    for (std::uint32_t i = 0; i < ListSize(a); ++i) memory.Append(list, ListItem(memory, a, i));
  }
  std::unordered_set<std::string> known;
  if (IsSet(a)) known = SetOf(memory, a);
  ElementsByKey elements;
  if (IsListMap(a)) elements = IndexElements(memory, a);
  for (std::uint32_t i = 0, size = ListSize(b); i < size; ++i) {
    Value item = ListItem(memory, b, i);
    if (IsSet(a) && !known.insert(Identity(item)).second) continue;
    if (a.schema != nullptr) item = ReadAgain(memory, item, a.schema->element);
    if (IsListMap(a)) {
      const auto found = elements.find(KeyOfElement(item, *a.schema).value_or(""));
      if (found != elements.end()) {
        list.list->items[found->second] = item;
        continue;
      }
    }
    memory.Append(list, item);
  }
  return list;
}

}  // namespace kube::cel
