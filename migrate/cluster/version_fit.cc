#include "migrate/cluster/version_fit.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "kube/meta/type_meta.h"
#include "migrate/cluster/field_fit.h"

namespace migrate::cluster {
namespace {

using kube::schema::SchemaProps;

const SchemaProps* MapValues(const SchemaProps& schema) {
  return schema.additional_properties ? schema.additional_properties->schema.get() : nullptr;
}

bool AllowsAnyKey(const SchemaProps& schema) {
  return schema.additional_properties && !schema.additional_properties->schema &&
         schema.additional_properties->allows;
}

const SchemaProps* Items(const SchemaProps& schema) {
  return schema.items ? schema.items->schema.get() : nullptr;
}

// Sorted by key.
const SchemaProps* FindProperty(const SchemaProps& schema, std::string_view name) {
  const auto found = std::ranges::lower_bound(schema.properties, name, {},
                                              [](const auto& property) { return property.first; });
  const bool is_there = found != schema.properties.end() && found->first == name;
  return is_there ? &found->second : MapValues(schema);
}

bool HoldsValue(const SchemaProps& schema, const SchemaProps& stored);

// `inside`: what `schema` says of a part, or the null pointer.
bool HoldsPart(const SchemaProps* inside, const SchemaProps* stored) {
  return stored == nullptr || (inside != nullptr && HoldsValue(*inside, *stored));
}

bool TakesAnyField(const SchemaProps& schema) { return schema.Preserves() || AllowsAnyKey(schema); }

// What is specified in both has to fit, also where other fields may be anything.
bool HoldsFields(const SchemaProps& schema, const SchemaProps& stored, bool is_root) {
  const auto is_held = [&](const auto& property) {
    if (is_root && kube::meta::IsTypeMetaOrMetadata(property.first)) return true;
    const SchemaProps* inside = FindProperty(schema, property.first);
    return inside == nullptr ? TakesAnyField(schema) : HoldsValue(*inside, property.second);
  };
  if (!std::ranges::all_of(stored.properties, is_held)) return false;
  if (!TakesAnyField(stored)) return true;
  // An object may hold anything where the stored version specifies nothing.
  return TakesAnyField(schema) && std::ranges::all_of(schema.properties, [&](const auto& property) {
           return stored.FindProperty(property.first) != nullptr ||
                  (is_root && kube::meta::IsTypeMetaOrMetadata(property.first));
         });
}

// Elements of a list of type map or set differ from each other, in keys or values.
bool HasLooserList(const SchemaProps& schema, const SchemaProps& stored) {
  const Merging merging = MergingOf(&schema);
  if (merging != Merging::kListByKeys && merging != Merging::kListByValues) return true;
  return merging == MergingOf(&stored) && schema.x_list_map_keys == stored.x_list_map_keys;
}

bool HoldsValue(const SchemaProps& schema, const SchemaProps& stored) {
  if (MergingOf(&schema) == Merging::kAnything) return true;
  if (schema.type != stored.type || !HasLooserList(schema, stored)) return false;
  return HoldsFields(schema, stored, /*is_root=*/false) &&
         (TakesAnyField(schema) || HoldsPart(MapValues(schema), MapValues(stored))) &&
         HoldsPart(Items(schema), Items(stored));
}

using kube::json::Value;

bool IsScalarOf(const SchemaProps& schema, const Value& value) {
  if (value.is_object() || value.is_array()) return false;
  if (schema.x_int_or_string || schema.type.empty()) return true;
  if (schema.type == "string") return value.is_string();
  if (schema.type == "boolean") return value.is_bool();
  return value.is_number();
}

// What tells an element of a list of type map from others; empty: it is none.
std::string KeysOf(const Value& element, const std::vector<std::string_view>& keys) {
  std::string text;
  for (const std::string_view key : keys) {
    const Value* value = element.Find(key);
    // Where the key has a default the server would still read it; no object lacks that as stored.
    if (value == nullptr || value->is_object() || value->is_array()) return "";
    text += kube::json::Print(*value) + "\n";
  }
  return text;
}

bool HoldsValue(const SchemaProps* schema, const Value& value, std::size_t level);

bool HoldsElements(const SchemaProps& schema, const Value& list, std::size_t level) {
  const Merging merging = MergingOf(&schema);
  std::set<std::string> seen;
  for (const Value& element : list.elements()) {
    if (merging == Merging::kListByKeys) {
      const std::string keys = element.is_object() ? KeysOf(element, *schema.x_list_map_keys) : "";
      if (keys.empty() || !seen.insert(keys).second) return false;
    } else if (merging == Merging::kListByValues) {
      const bool is_scalar = !element.is_object() && !element.is_array() && !element.is_null();
      if (!is_scalar || !seen.insert(kube::json::Print(element)).second) return false;
    }
    if (!HoldsValue(schema.ItemsSchema(), element, level + 1)) return false;
  }
  return true;
}

bool HoldsMember(const SchemaProps& schema, const kube::json::Member& member, std::size_t level) {
  const std::string_view name = member.key.text();
  const bool is_object_of_its_own = level == 0 || schema.x_embedded_resource;
  if (is_object_of_its_own && kube::meta::IsTypeMetaOrMetadata(name)) return true;
  if (const SchemaProps* field = FindProperty(schema, name)) {
    return HoldsValue(field, member.value, level + 1);
  }
  return schema.Preserves() || AllowsAnyKey(schema);
}

// A null is a value of every type.
bool HoldsValue(const SchemaProps* schema, const Value& value, std::size_t level) {
  if (level == kMostLevels) return false;
  const Merging merging = MergingOf(schema);
  if (value.is_null() || merging == Merging::kAnything) return true;
  if (merging == Merging::kScalar) return IsScalarOf(*schema, value);
  if (merging == Merging::kFields || merging == Merging::kAtomicFields) {
    return value.is_object() && std::ranges::all_of(value.members(), [&](const auto& member) {
             return HoldsMember(*schema, member, level);
           });
  }
  return value.is_array() && HoldsElements(*schema, value, level);
}

}  // namespace

bool HoldsObject(const SchemaProps* schema, const Value& object) {
  return HoldsValue(schema, object, 0);
}

bool Holds(const SchemaProps* schema, const SchemaProps* stored) {
  if (stored == nullptr) return true;
  return schema != nullptr && HoldsFields(*schema, *stored, /*is_root=*/true);
}

}  // namespace migrate::cluster
