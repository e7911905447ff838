#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace kube::schema {

/// What custom resources of one version have to be: its schema, which is structural, in both of its
/// forms. Both outlive this.
struct ObjectRules {
  const SchemaProps& schema;
  const StructuralSchema& structural;
  /// Of the schema's x-kubernetes-validations; null: they are not evaluated, or there are none.
  const RuleValidator* validator = nullptr;
};

/// Whether a server lets be what is invalid and does not change (CRDValidationRatcheting, KEP-4008:
/// by default since Kubernetes 1.30).
enum class Ratcheting { kNone, kUnchangedValues };

/// What the API server says to a write.
struct ObjectOutcome {
  /// Why it refuses the object, in its words. Sorted by the whole string, bytewise; empty: it takes
  /// it.
  std::vector<meta::FieldError> errors;
  /// What rules refuse that did not change, which a server that ratchets warns of. Sorted alike.
  std::vector<meta::FieldError> warnings;
  /// What the rules took of their budget; absent where none was evaluated: there are none, or other
  /// errors keep the server from it.
  std::optional<std::int64_t> rule_cost;
};

/// What the API server says to the creation of `object`: what it says of values by the schema, of
/// embedded resources and of duplicates in lists, and, unless one of these is a wrong type or the
/// like, what the rules say (apiextensions pkg/registry/customresource/strategy.go).
///
/// The metadata of the object itself and the scale subresource are not looked at. Where `patterns`
/// cannot tell, as ValidateValue.
ObjectOutcome CheckCreate(const json::Value& object, const ObjectRules& rules,
                          PatternChecks& patterns);

/// The same for an update of `old` to `object`. What has duplicates in lists may keep them.
ObjectOutcome CheckUpdate(const json::Value& object, const json::Value& old,
                          const ObjectRules& rules, Ratcheting ratcheting, PatternChecks& patterns);

/// The errors of CheckCreate.
std::vector<meta::FieldError> ErrorsOfCreate(const json::Value& object, const ObjectRules& rules,
                                             PatternChecks& patterns);

/// The errors of CheckUpdate.
std::vector<meta::FieldError> ErrorsOfUpdate(const json::Value& object, const json::Value& old,
                                             const ObjectRules& rules, Ratcheting ratcheting,
                                             PatternChecks& patterns);

/// False only where no object that is valid by `schema`, which is structural, becomes invalid by
/// being pruned by it, or by the nulls that the API server drops beside that.
bool CanPruningInvalidate(const SchemaProps& schema);

/// The errors of ValidateValue in `after`, none where `before` has some as well. Sorted bytewise.
/// Absent where `patterns` cannot tell.
///
/// Duplicates in lists are no reason for the API server to refuse an update of what has some
/// (apiextensions pkg/registry/customresource/strategy.go). Rules of x-kubernetes-validations are
/// not evaluated.
std::optional<std::vector<std::string>> ErrorsOfPruning(const json::Value& before,
                                                        const json::Value& after,
                                                        const SchemaProps& schema,
                                                        PatternChecks& patterns);

}  // namespace kube::schema
