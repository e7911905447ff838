#pragma once

#include "kube/schema/structural.h"

namespace kube::schema {

/// Sets may_have_defaults_below and may_have_embedded of `schema` and of every node below it, so
/// that defaulting and coercion skip the subtrees in which they have nothing to do. To be called
/// again when defaults changed.
void MarkSubtrees(StructuralSchema& schema);

}  // namespace kube::schema
