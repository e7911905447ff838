#pragma once

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

}  // namespace kube::schema
