#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

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
