#include "migrate/owners/version_fit.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "kube/meta/type_meta.h"
#include "migrate/owners/field_fit.h"
#include "migrate/owners/field_set.h"

namespace migrate::owners {
namespace {

using kube::schema::SchemaProps;

bool PreservesUnknown(const SchemaProps& schema) {
  return schema.x_preserve_unknown_fields.value_or(false);
}

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

bool HoldsFields(const SchemaProps& schema, const SchemaProps& stored) {
  return std::ranges::all_of(stored.properties, [&](const auto& property) {
    return HoldsPart(FindProperty(schema, property.first), &property.second);
  });
}

// Elements of a list of type map or set differ from each other, in keys or values.
bool HasLooserList(const SchemaProps& schema, const SchemaProps& stored) {
  const Merging merging = MergingOf(&schema);
  if (merging != Merging::kListByKeys && merging != Merging::kListByValues) return true;
  return merging == MergingOf(&stored) && schema.x_list_map_keys == stored.x_list_map_keys;
}

bool HoldsValue(const SchemaProps& schema, const SchemaProps& stored) {
  if (PreservesUnknown(schema) || AllowsAnyKey(schema)) return true;
  if (PreservesUnknown(stored) || AllowsAnyKey(stored)) return false;
  if (schema.type != stored.type || !HasLooserList(schema, stored)) return false;
  return HoldsFields(schema, stored) && HoldsPart(MapValues(schema), MapValues(stored)) &&
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
  return PreservesUnknown(schema) || AllowsAnyKey(schema);
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
  if (schema == nullptr) return false;
  if (PreservesUnknown(*schema)) return true;
  if (PreservesUnknown(*stored)) return false;
  return std::ranges::all_of(stored->properties, [&](const auto& property) {
    return kube::meta::IsTypeMetaOrMetadata(property.first) ||
           HoldsPart(FindProperty(*schema, property.first), &property.second);
  });
}

}  // namespace migrate::owners
