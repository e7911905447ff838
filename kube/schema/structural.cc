#include "kube/schema/structural.h"

#include <algorithm>

#include "kube/schema/keywords.h"

namespace kube::schema {
namespace {

constexpr std::string_view kItemsIsArray =
    "OpenAPIV3Schema 'items' must be a schema, but is an array";
constexpr std::string_view kPreserveIsFalse =
    "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";

std::optional<std::string> UnsupportedKeyword(const SchemaProps& schema) {
  std::string_view name;
  const bool is_used = AnyKeyword(schema, [&](const auto& keyword, const auto& value) {
    name = keyword.name;
    // A reference to nothing counts as none.
    return keyword.Is(kUnsupported) && !IsEmpty(value) && (name != "$ref" || schema.ref != "");
  });
  if (!is_used) return std::nullopt;
  // The server leaves out this $.
  if (name == "$schema") name = "schema";
  return "OpenAPIV3Schema '" + std::string(name) + "' is not supported";
}

std::optional<std::string> ErrorOfAny(const GoList<SchemaProps>& schemas) {
  for (const SchemaProps& schema : schemas) {
    if (auto error = ConversionError(schema)) return error;
  }
  return std::nullopt;
}

std::optional<std::string> ErrorOfValueValidation(const SchemaProps& schema) {
  if (schema.not_schema != nullptr) {
    if (auto error = ConversionError(*schema.not_schema)) return error;
  }
  if (auto error = ErrorOfAny(schema.all_of)) return error;
  if (auto error = ErrorOfAny(schema.any_of)) return error;
  return ErrorOfAny(schema.one_of);
}

std::optional<std::string> ErrorOfItems(const SchemaProps& schema) {
  if (schema.items == nullptr) return std::nullopt;
  if (!schema.items->schemas.empty()) return std::string(kItemsIsArray);
  return schema.items->schema != nullptr ? ConversionError(*schema.items->schema) : std::nullopt;
}

std::unique_ptr<StructuralSchema> MakePointer(const SchemaProps* schema, json::Arena& arena) {
  if (schema == nullptr) return nullptr;
  return std::make_unique<StructuralSchema>(MakeStructural(*schema, arena));
}

}  // namespace

const StructuralSchema* StructuralSchema::SearchProperty(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return found != properties.end() && found->name == name ? &found->schema : nullptr;
}

std::optional<std::string> ConversionError(const SchemaProps& schema) {
  // The order of NewStructural decides which of several errors is told.
  if (auto error = UnsupportedKeyword(schema)) return error;
  if (auto error = ErrorOfValueValidation(schema)) return error;
  if (schema.x_preserve_unknown_fields == false) return std::string(kPreserveIsFalse);
  if (auto error = ErrorOfItems(schema)) return error;
  for (const auto& [name, property] : schema.properties) {
    if (auto error = ConversionError(property)) return error;
  }
  const SchemaPropsOrBool* additional = schema.additional_properties.get();
  return additional != nullptr && additional->schema != nullptr
             ? ConversionError(*additional->schema)
             : std::nullopt;
}

StructuralSchema MakeStructural(const SchemaProps& schema, json::Arena& arena) {
  StructuralSchema structural;
  structural.preserve_unknown_fields = schema.Preserves();
  structural.embedded_resource = schema.x_embedded_resource;
  structural.nullable = schema.nullable;
  if (schema.default_value) {
    structural.default_value = json::DeepCopy(*schema.default_value, arena);
    // A number that no float64 can hold is an error of the CRD, found when it is read.
    static_cast<void>(json::StoreNumbers(*structural.default_value, arena));
  }
  structural.items = MakePointer(schema.ItemsSchema(), arena);
  if (const SchemaPropsOrBool* additional = schema.additional_properties.get()) {
    structural.has_additional_properties = true;
    structural.additional_schema = MakePointer(additional->schema.get(), arena);
  }
  structural.properties.reserve(schema.properties.size());
  std::vector<std::string_view> names;
  for (const auto& [name, property] : schema.properties) {
    structural.properties.push_back({std::string(name), MakeStructural(property, arena)});
    names.push_back(name);
  }
  structural.property_index = PropertyIndex(names);
  return structural;
}

namespace {

void MarkChild(StructuralSchema& parent, StructuralSchema& child) {
  MarkSubtrees(child);
  parent.may_have_defaults_below |=
      child.default_value.has_value() || child.may_have_defaults_below;
  parent.may_have_embedded |= child.may_have_embedded;
}

}  // namespace

void MarkSubtrees(StructuralSchema& schema) {
  schema.may_have_defaults_below = false;
  schema.may_have_embedded = schema.embedded_resource;
  for (auto& property : schema.properties) MarkChild(schema, property.schema);
  if (schema.items) MarkChild(schema, *schema.items);
  if (schema.additional_schema) MarkChild(schema, *schema.additional_schema);
}

}  // namespace kube::schema
