#pragma once

#include <optional>
#include <span>
#include <string>

#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace migrate::check {

/// What the API server would refuse updates of `object` for once it prunes, though it is valid as
/// long as it keeps all of its fields: the errors in one line of some KiB at most. Empty where
/// there are none, absent where `patterns` cannot tell.
///
/// It is pruned by each of `schemas` in turn; the last, no null pointer, is `validation` in its
/// structural form. By a null pointer all is pruned.
std::optional<std::string> WhyInvalidOncePruned(
    const kube::json::Value& object, std::span<const kube::schema::StructuralSchema* const> schemas,
    const kube::schema::SchemaProps& validation, kube::schema::PatternChecks& patterns);

}  // namespace migrate::check
