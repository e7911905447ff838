#pragma once

#include <string>

#include "kube/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace migrate {

/// What the API server would refuse updates of `object` for once it prunes, and takes now: its
/// errors in one line of some KiB at most; empty where there are none.
///
/// `pruned_by` is the schema that prunes, `validated_by` the same as it was written.
std::string WhyInvalidOncePruned(const kube::json::Value& object,
                                 const kube::schema::StructuralSchema& pruned_by,
                                 const kube::schema::SchemaProps& validated_by,
                                 kube::schema::PatternChecks& patterns);

}  // namespace migrate
