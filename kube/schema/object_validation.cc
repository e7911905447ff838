#include "kube/schema/object_validation.h"

#include <algorithm>
#include <iterator>

#include "kube/schema/embedded_resource_validation.h"
#include "kube/schema/list_type_validation.h"
#include "kube/schema/value_validation.h"

namespace kube::schema {
namespace {

void AddErrors(std::vector<meta::FieldError>& errors, std::vector<meta::FieldError> more) {
  std::ranges::move(more, std::back_inserter(errors));
}

}  // namespace

std::vector<meta::FieldError> ErrorsOfCreate(const json::Value& object, const ObjectRules& rules,
                                             PatternChecks& patterns) {
  std::vector<meta::FieldError> errors = ValidateValue(object, rules.schema, "", patterns);
  AddErrors(errors, ValidateEmbeddedResources(object, rules.structural, ""));
  AddErrors(errors, ValidateListTypes(object, rules.schema, ""));
  meta::SortByString(errors);
  return errors;
}

std::vector<meta::FieldError> ErrorsOfUpdate(const json::Value& object, const json::Value& old,
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
  meta::SortByString(errors);
  return errors;
}

}  // namespace kube::schema
