#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// What k8s.io/kube-openapi found in one value (its validate.Result).
class Outcome {
 public:
  struct Finding {
    /// kube-openapi's own text, by which it tells findings apart.
    std::string message;
    /// What the API server makes of it.
    meta::FieldError error;
  };

  bool is_valid() const { return findings_.empty(); }
  const std::vector<Finding>& findings() const { return findings_; }
  /// How many checks succeeded: of several alternatives that fail, the one with the most explains
  /// the failure.
  int matches() const { return matches_; }

  void CountMatch() { ++matches_; }
  /// Adds a finding unless one with the same message is there.
  void Add(Finding finding);
  void Merge(Outcome other);
  /// Leaves what succeeded.
  void Forgive();

 private:
  bool IsKnown(const std::string& message);

  std::vector<Finding> findings_;
  std::unordered_set<std::string> messages_;  // of the findings, once they are many
  int matches_ = 0;
};

/// In which of its two forms the API server hands a schema to k8s.io/kube-openapi.
enum class ValidationKind {
  /// As written, for custom resources (apiextensions pkg/apiserver/validation): int-or-string is a
  /// type, formats that are unknown or do not fit the type do not count.
  kObject,
  /// By way of the structural schema, for defaults (Structural.ToKubeOpenAPI): int-or-string says
  /// nothing, formats count as written, value validations have no additionalProperties.
  kDefault,
};

/// Validates `value` against `schema` as the API server validates a custom resource
/// (k8s.io/kube-openapi pkg/validation/validate by way of apiextensions pkg/apiserver/validation),
/// x-kubernetes-* apart. Paths start at `path`; the root of the empty path is "<nil>". Texts are
/// the server's, e.g. `spec.a: Invalid value: "integer": spec.a in body must be of type string:
/// "integer"`. Sorted bytewise, each string once; empty: valid.
///
/// Where they would take more than 16 MiB, one of them is an internal error that says so.
///
/// Where `patterns` cannot tell whether a pattern holds that is no error, and where this is below
/// allOf, anyOf, oneOf or not nothing is.
///
/// Not validated are the keywords that no CRD may use: patternProperties, dependencies,
/// definitions, additionalItems, $ref and items as an array.
std::vector<meta::FieldError> ValidateValue(const json::Value& value, const SchemaProps& schema,
                                            std::string_view path, PatternChecks& patterns,
                                            ValidationKind kind = ValidationKind::kObject);

/// ValidateValue of a custom resource that was `old` before, by a server that ratchets: it lets
/// errors be of values that are what they were (correlation.h), except inside of allOf, anyOf,
/// oneOf and not.
std::vector<meta::FieldError> ValidateChange(const json::Value& value, const json::Value& old,
                                             const SchemaProps& schema, std::string_view path,
                                             PatternChecks& patterns);

}  // namespace kube::schema
