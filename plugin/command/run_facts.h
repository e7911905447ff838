#pragma once

#include <chrono>
#include <string>

#include "migrate/report/run_facts.h"

namespace plugin::command {

/// The time of day, for what a report says of when it was made.
std::chrono::sys_seconds TimeOfDay();
/// The same, RFC 3339.
std::string TimeOfDayText();

/// Of a report that is made at `time` without a cluster; ClusterAccess::FactsAt knows that.
migrate::report::RunFacts LocalFactsAt(std::chrono::sys_seconds time);

}  // namespace plugin::command
