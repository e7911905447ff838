#pragma once

#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/meta/field_error.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

struct DefaultChecks {
  bool require_pruned = true;  ///< a default may not have fields that pruning would remove
  /// Of the server: since kFirstRuleRelease rules of x-kubernetes-validations count, too.
  base::Release server = base::kNewestRelease;
};

/// Validates the defaults in `schema`, which is structural, as ValidateDefaults does (apiextensions
/// pkg/apiserver/schema/defaulting/validation.go). Defaults below additionalProperties are not
/// looked at. Paths start at `path`.
std::vector<meta::FieldError> ValidateDefaults(const SchemaProps& schema, std::string_view path,
                                               const DefaultChecks& checks,
                                               PatternChecks& patterns);

/// True if a default in `schema`, which is structural, changes when the server prunes it.
bool HasUnprunedDefaults(const SchemaProps& schema);

}  // namespace kube::schema
