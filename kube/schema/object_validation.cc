#include "kube/schema/object_validation.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "kube/meta/make_field_error.h"
#include "kube/schema/embedded_resource_validation.h"
#include "kube/schema/list_type_validation.h"
#include "kube/schema/schema_props.h"
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

namespace {

void AddErrors(std::vector<meta::FieldError>& errors, std::vector<meta::FieldError> more) {
  std::ranges::move(more, std::back_inserter(errors));
}

/// True for what keeps the server from evaluating rules: the value is not what they are written
/// for.
bool IsBlocking(const meta::FieldError& error) {
  using meta::ErrorType;
  return error.type == ErrorType::kNotSupported || error.type == ErrorType::kRequired ||
         error.type == ErrorType::kTooLong || error.type == ErrorType::kTooMany ||
         error.type == ErrorType::kTypeInvalid;
}

/// Adds what the rules say to the `errors` that there are.
ObjectOutcome WithRules(std::vector<meta::FieldError> errors, const json::Value& object,
                        const ObjectRules& rules, const RuleUpdate& update) {
  ObjectOutcome outcome{std::move(errors), {}, {}};
  if (rules.validator != nullptr && std::ranges::any_of(outcome.errors, IsBlocking)) {
    outcome.errors.push_back(
        meta::Invalid("<nil>", "null",
                      "some validation rules were not checked because the object was invalid; "
                      "correct the existing errors to complete validation"));
  } else if (rules.validator != nullptr) {
    RuleOutcome found = rules.validator->Validate(object, "", update);
    AddErrors(outcome.errors, std::move(found.errors));
    outcome.warnings = std::move(found.warnings);
    outcome.rule_cost = kRuleBudget - found.budget_left;
  }
  meta::SortByString(outcome.errors);
  meta::SortByString(outcome.warnings);
  return outcome;
}

}  // namespace

ObjectOutcome CheckCreate(const json::Value& object, const ObjectRules& rules,
                          PatternChecks& patterns) {
  std::vector<meta::FieldError> errors = ValidateValue(object, rules.schema, "", patterns);
  AddErrors(errors, ValidateEmbeddedResources(object, rules.structural, ""));
  AddErrors(errors, ValidateListTypes(object, rules.schema, ""));
  return WithRules(std::move(errors), object, rules, {});
}

ObjectOutcome CheckUpdate(const json::Value& object, const json::Value& old,
                          const ObjectRules& rules, Ratcheting ratcheting,
                          PatternChecks& patterns) {
  std::vector<meta::FieldError> errors =
      ratcheting == Ratcheting::kNone ? ValidateValue(object, rules.schema, "", patterns)
                                      : ValidateChange(object, old, rules.schema, "", patterns);
  AddErrors(errors, ValidateEmbeddedResources(object, rules.structural, ""));
  // What is written as it was brings no duplicates.
  const bool may_bring_duplicates = &object != &old;
  if (may_bring_duplicates && ValidateListTypes(old, rules.schema, "").empty()) {
    AddErrors(errors, ValidateListTypes(object, rules.schema, ""));
  }
  return WithRules(std::move(errors), object, rules,
                   {.old = &old, .ratchets = ratcheting == Ratcheting::kUnchangedValues});
}

std::vector<meta::FieldError> ErrorsOfCreate(const json::Value& object, const ObjectRules& rules,
                                             PatternChecks& patterns) {
  return CheckCreate(object, rules, patterns).errors;
}

std::vector<meta::FieldError> ErrorsOfUpdate(const json::Value& object, const json::Value& old,
                                             const ObjectRules& rules, Ratcheting ratcheting,
                                             PatternChecks& patterns) {
  return CheckUpdate(object, old, rules, ratcheting, patterns).errors;
}

}  // namespace kube::schema
