#pragma once

#include <chrono>
#include <string>

#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"
#include "plugin/command/commands.h"
#include "plugin/report/report_forms.h"

namespace plugin::command {

/// How a program ends that found this, 0, 1 or 2.
int ExitCode(const migrate::report::CheckReport& report, const CheckOptions& options);

/// Prints `report` as `options` say. `now` is what ages are counted to.
report::Output PrintCheck(const migrate::report::CheckReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now);

/// Prints `report` as `options` say; the exit code is the highest of its clusters. `now` is what
/// ages are counted to.
report::Output PrintFleet(const migrate::report::FleetReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now);

}  // namespace plugin::command
