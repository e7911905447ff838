#pragma once

#include <vector>

#include "kube/json/json.h"
#include "kube/suggest/schema_change.h"

namespace kube::suggest {

/// Mends outside of the schemas what the server refuses in a CRD of v1 and what only one thing can
/// be meant by: a column's path without the dot in front, and the annotation that CRDs of groups
/// of Kubernetes have to have (KEP 1111), which then tells that nobody has approved.
///
/// `crd` is in v1 form. `arena` takes what is added.
std::vector<SchemaChange> MendCrd(json::Value& crd, json::Arena& arena);

}  // namespace kube::suggest
