#include "kube/schema/object_validation.h"

#include <algorithm>
#include <iterator>

#include "kube/meta/make_field_error.h"
#include "kube/schema/embedded_resource_validation.h"
#include "kube/schema/list_type_validation.h"
#include "kube/schema/value_validation.h"

namespace kube::schema {
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
