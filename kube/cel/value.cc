#include "kube/cel/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "kube/base/utf8.h"
#include "kube/cel/opaque.h"
#include "kube/cel/schema_type.h"
#include "kube/cel/time.h"
#include "kube/go/go_value.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;
constexpr std::uint32_t kHashedFrom = 16;  // below, a map is searched from end to end

template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

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

/// True for an object that is read in place by its schema.
bool HasSchema(const Value& map) {
  return map.kind == Kind::kObject || (map.kind == Kind::kJsonMap && map.schema != nullptr);
}

bool IsKnownKey(const Value& map, std::string_view key) {
  return map.kind == Kind::kObject ? map.schema->FindKey(key) != nullptr
                                   : map.schema->element != nullptr;
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

/// Equal keys have equal hashes, whatever type of number they are.
std::size_t HashKey(const Value& key) {
  switch (key.kind) {
    case Kind::kString:
    case Kind::kBytes:
      return std::hash<std::string_view>()(key.text());
    case Kind::kDuration:
    case Kind::kTimestamp: {
      // Whole seconds and their like have the same last bits.
      const auto number = static_cast<std::uint64_t>(key.integer) ^ key.size;
      return (number * 0x9E3779B97F4A7C15U) >> 32U;
    }
    case Kind::kInt:
      return std::hash<double>()(static_cast<double>(key.integer));
    case Kind::kUint:
      return std::hash<double>()(static_cast<double>(key.natural));
    case Kind::kDouble:
      return std::hash<double>()(key.real);
    default:
      return key.kind == Kind::kBool ? (key.boolean ? 1 : 2) : 0;
  }
}

/// As cel-go looks for a key: a whole number is not looked for among the doubles.
bool IsFoundBy(Memory& memory, const Value& entry_key, const Value& key) {
  const bool is_whole = key.kind == Kind::kInt || key.kind == Kind::kUint;
  return !(is_whole && entry_key.kind == Kind::kDouble) && Equal(memory, entry_key, key);
}

MapEntry* FindEntry(Memory& memory, const MapData& map, const Value& key) {
  if (map.slot_count == 0) {
    for (std::uint32_t i = 0; i < map.size; ++i) {
      if (IsFoundBy(memory, map.entries[i].key, key)) return &map.entries[i];
    }
    return nullptr;
  }
  memory.VisitText(key);
  std::size_t slot = HashKey(key) & (map.slot_count - 1);
  for (; map.slots[slot] != 0; slot = (slot + 1) & (map.slot_count - 1)) {
    MapEntry& entry = map.entries[map.slots[slot] - 1];
    if (IsFoundBy(memory, entry.key, key)) return &entry;
  }
  return nullptr;
}

void PutSlot(MapData& map, std::uint32_t index) {
  std::size_t slot = HashKey(map.entries[index].key) & (map.slot_count - 1);
  while (map.slots[slot] != 0) slot = (slot + 1) & (map.slot_count - 1);
  map.slots[slot] = index + 1;
}

template <typename T>
void Grow(T*& items, std::uint32_t size, std::uint32_t& capacity, Memory& memory) {
  if (size < capacity) return;
  capacity = capacity == 0 ? 4 : capacity * 2;
  T* grown = memory.Take<T>(capacity);
  if (size > 0) std::memcpy(static_cast<void*>(grown), items, size * sizeof(T));
  items = grown;
}

/// Prints values for errors. Ends where the text gets too long, or the values too deep.
class Describer {
 public:
  std::string Run(const Value& value) {
    Add(value, 0);
    return base::utf8::Shortened(out_, kLongest);
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  bool IsFull() const { return out_.size() > kLongest; }

  void Add(const Value& value, int level) {
    if (IsFull()) return;
    if (level > Memory::kMostLevels) {
      out_ += "...";
    } else if (value.is_list()) {
      AddList(value, level + 1);
    } else if (value.is_map()) {
      AddMap(value, level + 1);
    } else if (value.kind == Kind::kOptional && value.inner != nullptr) {
      out_ += "optional(";
      Add(*value.inner, level + 1);
      out_ += ')';
    } else if (value.kind == Kind::kBytes) {
      AddBytes(value.text());
    } else {
      AddPlain(value);
    }
  }

  void AddList(const Value& list, int level) {
    out_ += '[';
    for (std::uint32_t i = 0; i < ListSize(list) && !IsFull(); ++i) {
      if (i > 0) out_ += ", ";
      Add(ListItem(memory_, list, i), level);
    }
    out_ += ']';
  }

  void AddMap(const Value& map, int level) {
    out_ += '{';
    bool is_first = true;
    for (MapCursor cursor(memory_, map); !cursor.AtEnd() && !IsFull(); cursor.Next()) {
      if (!is_first) out_ += ", ";
      is_first = false;
      const MapEntry entry = cursor.Entry();
      Add(entry.key, level);
      out_ += ": ";
      Add(entry.value, level);
    }
    out_ += '}';
  }

  void AddBytes(std::string_view bytes) {
    out_ += '[';
    for (std::size_t i = 0; i < bytes.size() && !IsFull(); ++i) {
      if (i > 0) out_ += ' ';
      out_ += std::to_string(static_cast<unsigned char>(bytes[i]));
    }
    out_ += ']';
  }

  void AddPlain(const Value& value) {
    switch (value.kind) {
      case Kind::kNull:
        out_ += "NULL_VALUE";
        break;
      case Kind::kBool:
        out_ += value.boolean ? "true" : "false";
        break;
      case Kind::kInt:
        out_ += std::to_string(value.integer);
        break;
      case Kind::kUint:
        out_ += std::to_string(value.natural);
        break;
      case Kind::kDouble:
        out_ += json::FormatFloatG(value.real);
        break;
      case Kind::kDuration:
        out_ += FormatGoDuration(value.integer);
        break;
      case Kind::kTimestamp:
        out_ += FormatTimestamp(value);
        break;
      case Kind::kType:
        out_ += PrintType(value.type);
        break;
      case Kind::kOptional:
        out_ += "optional.none()";
        break;
      case Kind::kOpaque:
        out_ += DescribeOpaque(*value.opaque);
        break;
      default:  // texts and errors
        out_ += value.text().substr(0, kLongest + 1);
        break;
    }
  }

  std::string out_;
  json::Arena arena_;
  Memory memory_{arena_};
};

}  // namespace

TypeRef RuntimeType(const Value& value) {
  static TypePool pool;
  static const TypeRef list = pool.List(types::Dyn());
  static const TypeRef map = pool.Map(types::Dyn(), types::Dyn());
  static const TypeRef optional = pool.Optional(types::Dyn());
  switch (value.kind) {
    case Kind::kNull:
      return types::Null();
    case Kind::kBool:
      return types::Bool();
    case Kind::kInt:
      return types::Int();
    case Kind::kUint:
      return types::Uint();
    case Kind::kDouble:
      return types::Double();
    case Kind::kString:
      return types::String();
    case Kind::kBytes:
      return types::Bytes();
    case Kind::kDuration:
      return types::Duration();
    case Kind::kTimestamp:
      return types::Timestamp();
    case Kind::kList:
    case Kind::kJsonList:
      return list;
    case Kind::kMap:
    case Kind::kJsonMap:
    case Kind::kObject:
      return map;
    case Kind::kOptional:
      return optional;
    case Kind::kType:
      return types::TypeType();
    case Kind::kOpaque:
      return OpaqueType(*value.opaque);
    default:
      return types::Error();
  }
}

std::string_view RuntimeTypeName(const Value& value) { return RuntimeType(value)->name; }

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
    if (is_of_object && b.kind != Kind::kNull)
      memory.SetUnreadable(Value::Error("no such overload"));
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

std::optional<std::int64_t> SizeOf(const Value& value) {
  if (value.is_string()) return base::utf8::CountCharacters(value.text());
  if (value.kind == Kind::kBytes) return value.size;
  if (value.is_list()) return ListSize(value);
  if (value.is_map()) return MapSize(value);
  return std::nullopt;
}

std::uint64_t CostSize(const Value& value) {
  const Value* sized = &value;
  for (int level = 0; sized->kind == Kind::kOptional && sized->inner != nullptr; ++level) {
    if (level == Memory::kMostLevels) return 1;
    sized = sized->inner;
  }
  if (const auto size = SizeOf(*sized)) return static_cast<std::uint64_t>(*size);
  return sized->kind == Kind::kOpaque ? OpaqueCostSize(*sized->opaque) : 1;
}

std::string GoTypeOf(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "types.Null";
    case Kind::kBool:
      return "types.Bool";
    case Kind::kInt:
      return "types.Int";
    case Kind::kUint:
      return "types.Uint";
    case Kind::kDouble:
      return "types.Double";
    case Kind::kString:
      return "types.String";
    case Kind::kBytes:
      return "types.Bytes";
    case Kind::kDuration:
      return "types.Duration";
    case Kind::kTimestamp:
      return "types.Timestamp";
    case Kind::kOptional:
      return "*types.Optional";
    case Kind::kType:
      return "*types.Type";
    case Kind::kList:
      return "*types.baseList";
    case Kind::kMap:
      return "*types.baseMap";
    case Kind::kOpaque: {
      const std::string_view name = RuntimeTypeName(value);
      if (name == "kubernetes.NamedFormat") return "cel.Format";
      return "cel." + std::string(name.substr(name.find('.') + 1));
    }
    default:
      return std::string(RuntimeTypeName(value));
  }
}

std::string Describe(const Value& value) { return Describer().Run(value); }

std::uint32_t ListSize(const Value& list) {
  return list.kind == Kind::kList ? list.list->size : static_cast<std::uint32_t>(list.json->size());
}

Value ListItem(Memory& memory, const Value& list, std::uint32_t index) {
  if (list.kind == Kind::kList) return list.list->items[index];
  return ReadJson(memory, list.json->elements()[index],
                  list.schema == nullptr ? nullptr : list.schema->element);
}

Value MapFind(Memory& memory, const Value& map, const Value& key) {
  if (map.kind == Kind::kMap) {
    const MapEntry* entry = FindEntry(memory, *map.map, key);
    return entry == nullptr ? Value() : entry->value;
  }
  if (!key.is_string()) return HasSchema(map) ? Value::Error("no such overload") : Value();
  if (map.kind == Kind::kJsonMap) {
    const SchemaType* element = map.schema == nullptr ? nullptr : map.schema->element;
    if (map.schema != nullptr && element == nullptr) return Value();
    const json::Value* found = memory.Find(*map.json, key.text());
    return found == nullptr ? Value() : ReadJson(memory, *found, element);
  }
  const SchemaField* field = map.schema->FindName(key.text());
  if (field == nullptr) return Value();
  // A field that is null is as good as absent.
  const json::Value* found = memory.Find(*map.json, field->key);
  if (found == nullptr || found->is_null()) return Value();
  return ReadJson(memory, *found, field->type);
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

std::uint32_t MapSize(const Value& map) {
  return map.kind == Kind::kMap ? map.map->size : static_cast<std::uint32_t>(map.json->size());
}

bool MapCursor::AtEnd() const {
  return index_ >= (map_.kind == Kind::kMap ? map_.map->size : map_.json->size());
}

void MapCursor::Skip() {
  if (!HasSchema(map_)) return;
  while (!AtEnd() && !IsKnownKey(map_, map_.json->members()[index_].key.text())) ++index_;
}

MapEntry MapCursor::Entry() const {
  if (map_.kind == Kind::kMap) return map_.map->entries[index_];
  const json::Member& member = map_.json->members()[index_];
  if (map_.kind == Kind::kJsonMap) {
    return {
        Value::String(member.key.text()),
        ReadJson(memory_, member.value, map_.schema == nullptr ? nullptr : map_.schema->element)};
  }
  const SchemaField& field = *map_.schema->FindKey(member.key.text());
  const std::string& name = field.name.empty() ? field.key : field.name;
  // There is no value for a field that is null.
  return {Value::String(name), member.value.is_null()
                                   ? memory_.Error("no such key: " + name)
                                   : ReadJson(memory_, member.value, field.type)};
}

void Memory::VisitText(const Value& value) {
  if (value.is_string() || value.kind == Kind::kBytes) {
    VisitText(value.text());
  } else if (value.kind == Kind::kOpaque) {
    Visit(OpaqueTextSize(*value.opaque) / kTextOfVisit);
  }
}

Value Memory::Optional(const Value& inner) {
  Value* copy = Take<Value>();
  *copy = inner;
  return Value::Optional(copy);
}

Value Memory::OfOpaque(const Opaque* opaque) {
  Value value;
  value.kind = Kind::kOpaque;
  value.opaque = opaque;
  return value;
}

Value Memory::NewList(std::uint32_t capacity) {
  Value value;
  value.kind = Kind::kList;
  value.list = Take<ListData>();
  *value.list = ListData();
  if (capacity > 0) {
    value.list->items = Take<Value>(capacity);
    value.list->capacity = capacity;
  }
  return value;
}

void Memory::Append(const Value& list, const Value& item) {
  Grow(list.list->items, list.list->size, list.list->capacity, *this);
  list.list->items[list.list->size++] = item;
}

Value Memory::NewMap(std::uint32_t capacity) {
  Value value;
  value.kind = Kind::kMap;
  value.map = Take<MapData>();
  *value.map = MapData();
  if (capacity > 0) {
    value.map->entries = Take<MapEntry>(capacity);
    value.map->capacity = capacity;
  }
  return value;
}

bool Memory::Set(const Value& map, const Value& key, const Value& value) {
  MapData& data = *map.map;
  if (MapEntry* entry = FindEntry(*this, data, key)) {
    entry->value = value;
    return true;
  }
  Grow(data.entries, data.size, data.capacity, *this);
  data.entries[data.size++] = {key, value};
  if (data.slot_count >= data.size * 2) {
    PutSlot(data, data.size - 1);
  } else if (data.size > kHashedFrom) {
    data.slot_count = std::max<std::uint32_t>(64, data.slot_count * 2);
    data.slots = Take<std::uint32_t>(data.slot_count);
    std::fill_n(data.slots, data.slot_count, 0);
    for (std::uint32_t i = 0; i < data.size; ++i) PutSlot(data, i);
  }
  return false;
}

}  // namespace kube::cel
