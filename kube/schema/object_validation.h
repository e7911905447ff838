#pragma once

#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace kube::schema {

/// What custom resources of one version have to be: its schema, which is structural, in both of its
/// forms. Both outlive this.
struct ObjectRules {
  const SchemaProps& schema;
  const StructuralSchema& structural;
};

/// Whether a server lets be what is invalid and does not change (CRDValidationRatcheting, KEP-4008:
/// by default since Kubernetes 1.30).
enum class Ratcheting { kNone, kUnchangedValues };

/// Why the API server refuses to create `object`, in its words: what it says of values by the
/// schema, of embedded resources and of duplicates in lists (apiextensions
/// pkg/registry/customresource/strategy.go). Sorted by the whole string, bytewise; empty: it takes
/// it.
///
/// The metadata of the object itself, rules of x-kubernetes-validations and the scale subresource
/// are not looked at. Where `patterns` cannot tell, as ValidateValue.
std::vector<meta::FieldError> ErrorsOfCreate(const json::Value& object, const ObjectRules& rules,
                                             PatternChecks& patterns);

/// The same for an update of `old` to `object`. What has duplicates in lists may keep them.
std::vector<meta::FieldError> ErrorsOfUpdate(const json::Value& object, const json::Value& old,
                                             const ObjectRules& rules, Ratcheting ratcheting,
                                             PatternChecks& patterns);

}  // namespace kube::schema
