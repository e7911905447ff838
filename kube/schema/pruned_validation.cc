#include "kube/schema/pruned_validation.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "kube/meta/field_error.h"
#include "kube/schema/schema_walk.h"
#include "kube/schema/value_validation.h"

namespace kube::schema {
namespace {

bool HasContainer(const std::vector<json::Value>& values) {
  return std::ranges::any_of(
      values, [](const json::Value& value) { return value.is_object() || value.is_array(); });
}

// Nulls of other properties are invalid, or stay.
bool MayDropNull(const SchemaProps& property) {
  return property.type.empty() && !property.x_int_or_string && !property.nullable;
}

// What is in `properties` beside it is kept.
bool RequiresWhatMayGo(const SchemaProps& schema) {
  return schema.required && std::ranges::any_of(*schema.required, [&](std::string_view name) {
           const SchemaProps* property = schema.FindProperty(name);
           return property == nullptr || MayDropNull(*property);
         });
}

// What fails a schema for one of its properties fits it once that is gone, as which "not" is
// broken, and "oneOf" by a second one that fits. Completeness asks for the properties of the root's
// value validations alone, so that one below may be specified nowhere else; and a null that goes
// is one of a property that is specified.
bool MayWantMisfit(const SchemaProps& schema) {
  const auto has_property = [](const SchemaProps& alternative) {
    return AnySchema(alternative, [](const SchemaProps& any) { return !any.properties.empty(); });
  };
  return (schema.not_schema && has_property(*schema.not_schema)) ||
         std::ranges::any_of(schema.one_of, has_property);
}

// The limits from above count below "not" and "oneOf".
bool LooksAtWhatMayGo(const SchemaProps& schema) {
  const bool forbids = schema.additional_properties && !schema.additional_properties->allows;
  return schema.min_properties || schema.max_properties || schema.unique_items || forbids ||
         (schema.enum_values && HasContainer(*schema.enum_values)) || RequiresWhatMayGo(schema) ||
         MayWantMisfit(schema);
}

}  // namespace

bool CanPruningInvalidate(const SchemaProps& schema) { return AnySchema(schema, LooksAtWhatMayGo); }

std::optional<std::vector<std::string>> ErrorsOfPruning(const json::Value& before,
                                                        const json::Value& after,
                                                        const SchemaProps& schema,
                                                        PatternChecks& patterns) {
  const std::uint64_t undecided = patterns.undecided();
  std::vector<std::string> errors = meta::SortedStrings(ValidateValue(after, schema, "", patterns));
  if (!errors.empty() && !ValidateValue(before, schema, "", patterns).empty()) errors.clear();
  if (patterns.undecided() != undecided) return std::nullopt;
  return errors;
}

}  // namespace kube::schema
