#include "kube/cel/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

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

bool EqualLists(const Value& a, const Value& b) {
  const std::uint32_t size = ListSize(a);
  if (size != ListSize(b)) return false;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!Equal(ListItem(a, i), ListItem(b, i))) return false;
  }
  return true;
}

bool EqualMaps(const Value& a, const Value& b) {
  if (MapSize(a) != MapSize(b)) return false;
  for (MapCursor cursor(a); !cursor.AtEnd(); cursor.Next()) {
    const MapEntry entry = cursor.Entry();
    const Value other = MapFind(b, entry.key);
    if (other.kind == Kind::kUnset || !Equal(entry.value, other)) return false;
  }
  return true;
}

/// Equal keys have equal hashes, whatever type of number they are.
std::size_t HashKey(const Value& key) {
  switch (key.kind) {
    case Kind::kString:
      return std::hash<std::string_view>()(key.text());
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

bool SameKey(const Value& a, const Value& b) {
  if (a.kind == Kind::kString && b.kind == Kind::kString) return a.text() == b.text();
  return Equal(a, b);
}

MapEntry* FindEntry(const MapData& map, const Value& key) {
  if (map.slot_count == 0) {
    for (std::uint32_t i = 0; i < map.size; ++i) {
      if (SameKey(map.entries[i].key, key)) return &map.entries[i];
    }
    return nullptr;
  }
  std::size_t slot = HashKey(key) & (map.slot_count - 1);
  for (; map.slots[slot] != 0; slot = (slot + 1) & (map.slot_count - 1)) {
    MapEntry& entry = map.entries[map.slots[slot] - 1];
    if (SameKey(entry.key, key)) return &entry;
  }
  return nullptr;
}

void PutSlot(MapData& map, std::uint32_t index) {
  std::size_t slot = HashKey(map.entries[index].key) & (map.slot_count - 1);
  while (map.slots[slot] != 0) slot = (slot + 1) & (map.slot_count - 1);
  map.slots[slot] = index + 1;
}

template <typename T>
void Grow(T*& items, std::uint32_t size, std::uint32_t& capacity, json::Arena& arena) {
  if (size < capacity) return;
  capacity = capacity == 0 ? 4 : capacity * 2;
  T* grown = arena.Allocate<T>(capacity);
  if (size > 0) std::memcpy(static_cast<void*>(grown), items, size * sizeof(T));
  items = grown;
}

std::string DescribeBytes(std::string_view bytes) {
  std::string out = "[";
  for (const char byte : bytes) {
    if (out.size() > 1) out += ' ';
    out += std::to_string(static_cast<unsigned char>(byte));
  }
  return out += ']';
}

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
    case Kind::kObject:
      return value.schema != nullptr && value.schema->type != nullptr ? value.schema->type : map;
    case Kind::kMap:
    case Kind::kJsonMap:
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

bool Equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.is_list() && b.is_list()) return EqualLists(a, b);
  if (a.is_map() && b.is_map()) return EqualMaps(a, b);
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.boolean == b.boolean;
    case Kind::kString:
    case Kind::kBytes:
      return a.text() == b.text();
    case Kind::kDuration:
      return a.integer == b.integer;
    case Kind::kTimestamp:
      return a.integer == b.integer && a.size == b.size;
    case Kind::kOptional:
      if (a.inner == nullptr || b.inner == nullptr) return a.inner == b.inner;
      return Equal(*a.inner, *b.inner);
    case Kind::kType:
      return a.type->name == b.type->name;
    case Kind::kOpaque:
      return EqualOpaque(*a.opaque, *b.opaque);
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
  if (const auto size = SizeOf(value)) return static_cast<std::uint64_t>(*size);
  if (value.kind == Kind::kOptional && value.inner != nullptr) return CostSize(*value.inner);
  return value.kind == Kind::kOpaque ? OpaqueCostSize(*value.opaque) : 1;
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
    default:
      return std::string(RuntimeTypeName(value));
  }
}

std::string Describe(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "NULL_VALUE";
    case Kind::kBool:
      return value.boolean ? "true" : "false";
    case Kind::kInt:
      return std::to_string(value.integer);
    case Kind::kUint:
      return std::to_string(value.natural);
    case Kind::kDouble:
      return json::FormatFloatG(value.real);
    case Kind::kString:
    case Kind::kError:
      return std::string(value.text());
    case Kind::kBytes:
      return DescribeBytes(value.text());
    case Kind::kDuration:
      return FormatGoDuration(value.integer);
    case Kind::kTimestamp:
      return FormatTimestamp(value);
    case Kind::kType:
      return PrintType(value.type);
    case Kind::kOptional:
      return value.inner == nullptr ? "optional.none()"
                                    : "optional(" + Describe(*value.inner) + ")";
    case Kind::kOpaque:
      return DescribeOpaque(*value.opaque);
    default:
      break;
  }
  std::string out = value.is_list() ? "[" : "{";
  if (value.is_list()) {
    for (std::uint32_t i = 0; i < ListSize(value); ++i) {
      if (i > 0) out += ", ";
      out += Describe(ListItem(value, i));
    }
    return out += ']';
  }
  for (MapCursor cursor(value); !cursor.AtEnd(); cursor.Next()) {
    if (out.size() > 1) out += ", ";
    const MapEntry entry = cursor.Entry();
    out += Describe(entry.key) + ": " + Describe(entry.value);
  }
  return out += '}';
}

std::uint32_t ListSize(const Value& list) {
  return list.kind == Kind::kList ? list.list->size : static_cast<std::uint32_t>(list.json->size());
}

Value ListItem(const Value& list, std::uint32_t index) {
  if (list.kind == Kind::kList) return list.list->items[index];
  return ReadJson(list.json->elements()[index],
                  list.schema == nullptr ? nullptr : list.schema->element);
}

Value MapFind(const Value& map, const Value& key) {
  if (map.kind == Kind::kMap) {
    const MapEntry* entry = FindEntry(*map.map, key);
    return entry == nullptr ? Value() : entry->value;
  }
  if (!key.is_string()) return Value();
  if (map.kind == Kind::kJsonMap) {
    const json::Value* found = map.json->Find(key.text());
    if (found == nullptr) return Value();
    return ReadJson(*found, map.schema == nullptr ? nullptr : map.schema->element);
  }
  const SchemaField* field = map.schema->Field(key.text());
  if (field == nullptr) return Value();
  const json::Value* found = map.json->Find(field->key);
  return found == nullptr ? Value() : ReadJson(*found, field->type);
}

std::uint32_t MapSize(const Value& map) {
  return map.kind == Kind::kMap ? map.map->size : static_cast<std::uint32_t>(map.json->size());
}

bool MapCursor::AtEnd() const {
  return index_ >= (map_.kind == Kind::kMap ? map_.map->size : map_.json->size());
}

void MapCursor::Skip() {
  if (map_.kind != Kind::kObject) return;
  while (!AtEnd() && map_.schema->Key(map_.json->members()[index_].key.text()) == nullptr) ++index_;
}

MapEntry MapCursor::Entry() const {
  if (map_.kind == Kind::kMap) return map_.map->entries[index_];
  const json::Member& member = map_.json->members()[index_];
  if (map_.kind == Kind::kJsonMap) {
    return {Value::String(member.key.text()),
            ReadJson(member.value, map_.schema == nullptr ? nullptr : map_.schema->element)};
  }
  const SchemaField* field = map_.schema->Key(member.key.text());
  return {Value::String(field->name), ReadJson(member.value, field->type)};
}

Value Memory::Optional(const Value& inner) {
  Value* copy = arena_.Allocate<Value>(1);
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
  value.list = arena_.Allocate<ListData>(1);
  *value.list = ListData();
  if (capacity > 0) {
    value.list->items = arena_.Allocate<Value>(capacity);
    value.list->capacity = capacity;
  }
  return value;
}

void Memory::Append(const Value& list, const Value& item) {
  Grow(list.list->items, list.list->size, list.list->capacity, arena_);
  list.list->items[list.list->size++] = item;
}

Value Memory::NewMap(std::uint32_t capacity) {
  Value value;
  value.kind = Kind::kMap;
  value.map = arena_.Allocate<MapData>(1);
  *value.map = MapData();
  if (capacity > 0) {
    value.map->entries = arena_.Allocate<MapEntry>(capacity);
    value.map->capacity = capacity;
  }
  return value;
}

bool Memory::Set(const Value& map, const Value& key, const Value& value) {
  MapData& data = *map.map;
  if (MapEntry* entry = FindEntry(data, key)) {
    entry->value = value;
    return true;
  }
  Grow(data.entries, data.size, data.capacity, arena_);
  data.entries[data.size++] = {key, value};
  if (data.slot_count >= data.size * 2) {
    PutSlot(data, data.size - 1);
  } else if (data.size > kHashedFrom) {
    data.slot_count = std::max<std::uint32_t>(64, data.slot_count * 2);
    data.slots = arena_.Allocate<std::uint32_t>(data.slot_count);
    std::fill_n(data.slots, data.slot_count, 0);
    for (std::uint32_t i = 0; i < data.size; ++i) PutSlot(data, i);
  }
  return false;
}

}  // namespace kube::cel
