#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/field_error.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Appends an error for each `properties` and `items` that the value validations (allOf, anyOf,
/// oneOf, not) of the root mention but the schema itself does not specify. Value validations below
/// the root are not looked at, as the API server does not (apiextensions
/// pkg/apiserver/schema/complete.go).
void CheckCompleteness(const SchemaProps& root, std::string_view base_path,
                       std::vector<meta::FieldError>& errors);

/// Checks the rules of a structural schema and its completeness, as ValidateStructural does
/// (apiextensions pkg/apiserver/schema/validation.go and complete.go). `schema` has no
/// ConversionError. Paths start at `base_path`, which may be empty.
///
/// The result is sorted bytewise by the whole string; empty means structural.
std::vector<meta::FieldError> ValidateStructural(const SchemaProps& schema,
                                                 std::string_view base_path);

}  // namespace kube::schema
