#pragma once

#include <string_view>
#include <vector>

#include "kube/meta/field_error.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Validates the defaults in `schema`, which is structural, as ValidateDefaults does (apiextensions
/// pkg/apiserver/schema/defaulting/validation.go), but for x-kubernetes-validations. Defaults below
/// additionalProperties are not looked at. Paths start at `path`.
///
/// `require_pruned`: a default may not have fields that pruning would remove.
std::vector<meta::FieldError> ValidateDefaults(const SchemaProps& schema, std::string_view path,
                                               bool require_pruned, PatternChecks& patterns);

/// True if a default in `schema`, which is structural, changes when the server prunes it.
bool HasUnprunedDefaults(const SchemaProps& schema);

}  // namespace kube::schema
