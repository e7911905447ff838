#include "migrate/owners/version_fit.h"

#include <algorithm>
#include <string_view>

#include "kube/meta/type_meta.h"

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

bool HoldsValue(const SchemaProps& schema, const SchemaProps& stored) {
  if (PreservesUnknown(schema) || AllowsAnyKey(schema)) return true;
  if (PreservesUnknown(stored) || AllowsAnyKey(stored)) return false;
  if (schema.type != stored.type) return false;
  return HoldsFields(schema, stored) && HoldsPart(MapValues(schema), MapValues(stored)) &&
         HoldsPart(Items(schema), Items(stored));
}

}  // namespace

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
