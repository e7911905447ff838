#pragma once

#include <chrono>
#include <string>

#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"
#include "plugin/command/commands.h"
#include "plugin/report/check_table.h"
#include "plugin/report/report_forms.h"

namespace plugin::command {

/// How a program ends that found this, 0, 1 or 2.
int ExitCode(const migrate::report::CheckReport& report, const CheckOptions& options);

/// What is told on stderr of `report`, as whole lines: what could not be read, and, where `options`
/// want no sections, what they would have said of it.
std::string PrintErrors(const migrate::report::CheckReport& report, const CheckOptions& options);

/// True where what was found is explained below its rows.
bool ShowsSections(const CheckOptions& options);

/// The tables that `options` want; on a terminal the first screen, where all would not fit one
/// (plugin/report/first_screen.h). `now` is what ages are counted to.
std::string PrintTable(const migrate::report::CheckReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now);
std::string PrintTable(const migrate::report::FleetReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now);

/// Prints `report` as `options` say. `now` is what ages are counted to.
report::Output PrintCheck(const migrate::report::CheckReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now);

}  // namespace plugin::command
