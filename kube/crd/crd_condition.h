#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/meta/field_error.h"

namespace kube::crd {

/// status, reason and message of a condition of a CRD.
struct CrdCondition {
  std::string status;
  std::string reason;
  std::string message;
};

/// The structural problems of one version of a CRD.
struct VersionProblems {
  std::string version;
  /// NewStructural's text where the schema cannot be converted; then `errors` is empty.
  std::optional<std::string> conversion_error;
  /// Sorted; paths start at spec.versions[i].schema.openAPIV3Schema.
  std::vector<meta::FieldError> errors;

  bool structural() const { return !conversion_error && errors.empty(); }
};

/// Checks every version, in the order of the CRD. A version without a schema has no problems.
std::vector<VersionProblems> FindStructuralProblems(const Crd& crd);

/// The condition NonStructuralSchema that the API server would set (apiextensions
/// pkg/controller/nonstructuralschema); absent where it would set none.
std::optional<CrdCondition> NonStructuralSchemaCondition(
    const Crd& crd, const std::vector<VersionProblems>& problems);

}  // namespace kube::crd
