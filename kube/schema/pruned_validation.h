#pragma once

#include <string>
#include <vector>

#include "kube/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// False only where no object that is valid by `schema`, which is structural, becomes invalid by
/// being pruned by it.
bool CanPruningInvalidate(const SchemaProps& schema);

/// What the API server refuses an update of `after` for that it would take for `before`: the errors
/// of ValidateValue, none where `before` has some as well, or where `patterns` cannot tell. Sorted
/// bytewise.
///
/// Nothing else than ValidateValue can turn: rules of x-kubernetes-validations see specified fields
/// only, and duplicates in lists are tolerated in an update of what has some (apiextensions
/// pkg/registry/customresource/strategy.go).
std::vector<std::string> ErrorsOfPruning(const json::Value& before, const json::Value& after,
                                         const SchemaProps& schema, PatternChecks& patterns);

}  // namespace kube::schema
