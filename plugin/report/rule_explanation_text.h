#pragma once

#include <string>
#include <string_view>

#include "migrate/check/rule_explaining.h"

namespace plugin::report {

/// "true", "false" or "error".
std::string_view AnswerName(kube::crd::ExplainedValue::Answer answer);

/// The explanation for a person, rule by rule, printable: what the rule is, what it costs, and of
/// each value the steps to its answer.
std::string PrintExplanation(const migrate::check::ObjectExplanation& explanation);

}  // namespace plugin::report
