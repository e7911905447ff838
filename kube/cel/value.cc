#include "kube/cel/value.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "kube/base/utf8.h"
#include "kube/cel/opaque.h"
#include "kube/cel/schema_type.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

constexpr std::uint32_t kHashedFrom = 16;  // below, a map is searched from end to end

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

}  // namespace

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

std::uint32_t ListSize(const Value& list) {
  return list.kind == Kind::kList ? list.list->size : static_cast<std::uint32_t>(list.json->size());
}

Value ListItem(Memory& memory, const Value& list, std::uint32_t index) {
  if (list.kind == Kind::kList) return list.list->items[index];
  return ReadJson(memory, list.json->elements()[index],
                  list.schema == nullptr ? nullptr : list.schema->element);
}

bool HasSchema(const Value& map) {
  return map.kind == Kind::kObject || (map.kind == Kind::kJsonMap && map.schema != nullptr);
}

bool IsKnownKey(const Value& map, std::string_view key) {
  return map.kind == Kind::kObject ? map.schema->FindKey(key) != nullptr
                                   : map.schema->element != nullptr;
}

Value MapFind(Memory& memory, const Value& map, const Value& key) {
  if (map.kind == Kind::kMap) {
    const MapEntry* entry = FindEntry(memory, *map.map, key);
    return entry == nullptr ? Value() : entry->value;
  }
  if (!key.is_string()) return HasSchema(map) ? Value::Error(kNoOverload) : Value();
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

std::uint32_t MapSize(const Value& map) {
  return map.kind == Kind::kMap ? map.map->size : static_cast<std::uint32_t>(map.json->size());
}

bool MapCursor::IsPastNamed() const {
  return index_ >= (map_.kind == Kind::kMap ? map_.map->size : map_.json->size());
}

void MapCursor::Next() {
  if (IsPastNamed()) {
    --unnamed_;
    return;
  }
  ++index_;
  Skip();
}

void MapCursor::Skip() {
  if (!HasSchema(map_)) return;
  while (!IsPastNamed() && !IsKnownKey(map_, map_.json->members()[index_].key.text())) {
    ++index_;
    ++unnamed_;
  }
}

MapEntry MapCursor::Entry() const {
  if (IsUnnamed()) return {Value::Null(), Value::Error(kNoOverload)};
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
