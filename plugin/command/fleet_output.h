#pragma once

#include <chrono>

#include "migrate/report/fleet_report.h"
#include "plugin/command/check_options.h"
#include "plugin/command/check_output.h"

namespace plugin::command {

/// Prints `report` as `options` say; the exit code is the highest of its clusters. `now` is what
/// ages are counted to.
CheckOutput PrintFleet(const migrate::report::FleetReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now);

}  // namespace plugin::command
