#pragma once

#include "kube/json/json.h"
#include "migrate/check/rule_explaining.h"

namespace plugin::report {

/// The explanation as -o json prints it, a RuleExplanation: docs/REPORTS.md.
/// The value borrows from `explanation`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::check::ObjectExplanation& explanation,
                         kube::json::Arena& arena);

}  // namespace plugin::report
