#pragma once

#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Calls `visit` with each schema directly in `schema`, wherever it is.
template <typename Visit>
void ForEachSubschema(const SchemaProps& schema, Visit visit) {
  const auto visit_pointer = [&visit](const SchemaProps* child) {
    if (child) visit(*child);
  };
  if (schema.items) {
    visit_pointer(schema.items->schema.get());
    for (const SchemaProps& child : schema.items->schemas) visit(child);
  }
  for (const auto* list : {&schema.all_of, &schema.any_of, &schema.one_of}) {
    for (const SchemaProps& child : *list) visit(child);
  }
  visit_pointer(schema.not_schema.get());
  for (const auto* map : {&schema.properties, &schema.pattern_properties, &schema.definitions}) {
    for (const auto& [name, child] : *map) visit(child);
  }
  if (schema.additional_properties) visit_pointer(schema.additional_properties->schema.get());
  if (schema.additional_items) visit_pointer(schema.additional_items->schema.get());
  for (const auto& [name, dependency] : schema.dependencies) {
    visit_pointer(dependency.schema.get());
  }
}

/// True if `predicate` holds for `schema` or some schema in it.
template <typename Predicate>
bool AnySchema(const SchemaProps& schema, const Predicate& predicate) {
  if (predicate(schema)) return true;
  bool found = false;
  ForEachSubschema(schema,
                   [&](const SchemaProps& child) { found = found || AnySchema(child, predicate); });
  return found;
}

}  // namespace kube::schema
