#include "migrate/cluster/field_fit.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace migrate::cluster {
namespace {

using kube::json::Member;
using kube::json::Value;

// Where something below is owned, only this says that the thing itself is.
Value Leaf(kube::json::Arena& arena) {
  Value self = Value::Object();
  self.SetNew(kSelf, Value::Object(), arena);
  return self;
}

class UnionMaker {
 public:
  explicit UnionMaker(kube::json::Arena& arena) : arena_(arena) {}

  Value Union(const Value& one, const Value& other, std::size_t level) {
    if (!other.is_object() || level == kMostLevels) return one;
    if (!one.is_object()) return other;
    if (one.empty() && other.empty()) return one;
    if (level > 0 && one.empty()) return Merge(Leaf(arena_), other, level);
    if (level > 0 && other.empty()) return Merge(one, Leaf(arena_), level);
    return Merge(one, other, level);
  }

 private:
  Value Merge(const Value& one, const Value& other, std::size_t level) {
    const std::vector<const Member*> ours = kube::json::SortedMembers(one);
    const std::vector<const Member*> theirs = kube::json::SortedMembers(other);
    Value merged = Value::Object();
    auto our = ours.begin();
    auto their = theirs.begin();
    while (our != ours.end() || their != theirs.end()) {
      const int order = our == ours.end()       ? 1
                        : their == theirs.end() ? -1
                                                : (*our)->key.text().compare((*their)->key.text());
      const Member& first = order <= 0 ? **our : **their;
      Value below = first.value;
      if (order == 0) below = Union((*our)->value, (*their)->value, level + 1);
      merged.SetNew(first.key.text(), below, arena_);
      if (order <= 0) ++our;
      if (order >= 0) ++their;
    }
    return merged;
  }

  kube::json::Arena& arena_;
};

}  // namespace

Value UnionOf(const Value& one, const Value& other, kube::json::Arena& arena) {
  return UnionMaker(arena).Union(one, other, 0);
}

namespace {

using kube::json::Document;
using kube::schema::SchemaProps;

Merging MergingOfList(const SchemaProps& schema) {
  const std::string_view type = schema.x_list_type.value_or("atomic");
  if (type == "map" && schema.x_list_map_keys) return Merging::kListByKeys;
  return type == "set" ? Merging::kListByValues : Merging::kAtomicList;
}

// Numbers are one type to an apply.
std::string_view JsonTypeOf(const SchemaProps& schema) {
  return schema.type == "integer" ? "number" : schema.type;
}

// Where one of both says nothing of the type, neither can be wrong.
bool HaveSameType(const SchemaProps* from, const SchemaProps* to) {
  if (from == nullptr || to == nullptr) return true;
  const std::string_view one = JsonTypeOf(*from), other = JsonTypeOf(*to);
  return one.empty() || other.empty() || one == other;
}

const SchemaProps* ItemsOf(const SchemaProps* schema) {
  return schema == nullptr ? nullptr : schema->ItemsSchema();
}

const SchemaProps* FieldOf(const SchemaProps* schema, std::string_view name) {
  if (schema == nullptr) return nullptr;
  if (const SchemaProps* property = schema->FindProperty(name)) return property;
  return schema->additional_properties ? schema->additional_properties->schema.get() : nullptr;
}

bool IsOfType(const Value& value, const SchemaProps* schema) {
  if (schema == nullptr || schema->type.empty()) return !value.is_object() && !value.is_array();
  if (schema->type == "string") return value.is_string();
  if (schema->type == "boolean") return value.is_bool();
  return (schema->type == "integer" || schema->type == "number") && value.is_number();
}

// The server leaves out keys that an element lacks.
bool AreKeysOf(std::string_view text, const SchemaProps& list) {
  Document keys;
  if (keys.Parse(text) || !keys.root().is_object() || keys.root().empty()) return false;
  const SchemaProps* items = list.ItemsSchema();
  return std::ranges::all_of(keys.root().members(), [&](const Member& key) {
    const std::string_view name = key.key.text();
    return std::ranges::find(*list.x_list_map_keys, name) != list.x_list_map_keys->end() &&
           IsOfType(key.value, items == nullptr ? nullptr : items->FindProperty(name));
  });
}

bool IsValueOf(std::string_view text, const SchemaProps& list) {
  Document value;
  return !value.Parse(text) && IsOfType(value.root(), list.ItemsSchema());
}

// What a part of fieldsV1 names, and how.
struct Part {
  char kind = 0;  // 'f', 'k', 'v', '.' or 0
  std::string_view name{};
};

Part PartOf(std::string_view text) {
  if (text == kSelf) return {'.'};
  const bool is_named = text.size() >= 2 && text[1] == ':';
  return is_named ? Part{text[0], text.substr(2)} : Part{};
}

class Fitting {
 public:
  Fitting(bool preserves, kube::json::Arena& arena) : preserves_(preserves), arena_(arena) {}

  // Absent where nothing is left.
  std::optional<Value> Fit(const Value& fields, const SchemaProps* schema, const SchemaProps* from,
                           std::size_t level) {
    if (!fields.is_object() || level == kMostLevels) return std::nullopt;
    if (!HaveSameType(from, schema)) return std::nullopt;
    const bool is_root = level == 0;
    if (fields.empty()) return is_root ? std::nullopt : std::optional(Value::Object());
    Value fitting = Value::Object();
    bool is_owned = false, has_list_parts = false, has_fields = false;
    for (const Member& member : fields.members()) {
      const Part part = PartOf(member.key.text());
      is_owned |= part.kind == '.' && !is_root;
      has_fields |= part.kind == 'f';
      has_list_parts |= part.kind == 'k' || part.kind == 'v' || part.kind == 'i';
      if (auto below = FitPart(part, member.value, {schema, from}, level)) {
        fitting.SetNew(member.key.text(), *below, arena_);
      }
    }
    if (!is_root && IsOwnedWhole(MergingOf(schema), has_fields, has_list_parts)) {
      return Value::Object();
    }
    if (fitting.empty() && !is_owned) return std::nullopt;
    if (is_owned && !fitting.empty()) fitting.SetNew(kSelf, Value::Object(), arena_);
    return fitting;
  }

 private:
  // The schemas of one place, in the version that it is said in and in that which it comes from.
  struct Place {
    const SchemaProps* to;
    const SchemaProps* from;
  };

  std::optional<Value> FitPart(const Part& part, const Value& below, const Place& place,
                               std::size_t level) {
    switch (MergingOf(place.to)) {
      case Merging::kAnything:
      case Merging::kFields:
        return part.kind == 'f' ? FitField(part.name, below, place, level) : std::nullopt;
      case Merging::kListByKeys:
        if (part.kind != 'k' || !AreKeysOf(part.name, *place.to)) return std::nullopt;
        return Fit(below, ItemsOf(place.to), ItemsOf(place.from), level + 1);
      case Merging::kListByValues:
        if (part.kind != 'v' || !IsValueOf(part.name, *place.to)) return std::nullopt;
        return Value::Object();
      case Merging::kScalar:
      case Merging::kAtomicFields:
      case Merging::kAtomicList:
        break;
    }
    return std::nullopt;
  }

  std::optional<Value> FitField(std::string_view name, const Value& below, const Place& place,
                                std::size_t level) {
    const SchemaProps* schema = place.to;
    const bool is_object_of_its_own =
        level == 0 || (schema != nullptr && schema->x_embedded_resource);
    if (is_object_of_its_own && name == "metadata" && below.is_object()) return below;
    if (level == 0 && (name == "apiVersion" || name == "kind")) return std::nullopt;
    const SchemaProps* from = FieldOf(place.from, name);
    const SchemaProps* field = FieldOf(schema, name);
    if (schema == nullptr || field != nullptr || AllowsAny(*schema)) {
      return Fit(below, field, from, level + 1);
    }
    return std::nullopt;
  }

  bool AllowsAny(const SchemaProps& schema) const {
    const auto* additional = schema.additional_properties.get();
    return preserves_ || schema.Preserves() || (additional != nullptr && additional->allows);
  }

  // A part of what is atomic is owned, in the terms of its kind.
  static bool IsOwnedWhole(Merging merging, bool has_fields, bool has_list_parts) {
    if (merging == Merging::kAtomicFields) return has_fields && !has_list_parts;
    const bool is_list = merging == Merging::kAtomicList || merging == Merging::kAnything;
    return is_list && has_list_parts && !has_fields;
  }

  const bool preserves_;
  kube::json::Arena& arena_;
};

}  // namespace

Merging MergingOf(const SchemaProps* schema) {
  if (schema == nullptr) return Merging::kAnything;
  if (schema->x_int_or_string) return Merging::kScalar;
  if (schema->type == "array") return MergingOfList(*schema);
  if (schema->type.empty() && schema->properties.empty() && schema->Preserves()) {
    return Merging::kAnything;
  }
  if (schema->type != "object" && schema->properties.empty()) return Merging::kScalar;
  return schema->x_map_type == "atomic" ? Merging::kAtomicFields : Merging::kFields;
}

std::optional<Value> FitFields(const Value& fields, const FieldSchemas& schemas,
                               kube::json::Arena& arena) {
  return Fitting(schemas.preserves, arena).Fit(fields, schemas.to, schemas.from, 0);
}

}  // namespace migrate::cluster
