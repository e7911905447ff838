#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "migrate/report/fleet_report.h"
#include "plugin/command/check_output.h"

namespace plugin::command {

/// Checks the cluster of `options.common`; `write_line` is given warnings and requests, for stderr.
/// Throws as migrate::check::CheckCluster and ClusterAccess.
migrate::report::CheckReport CheckCluster(
    const CheckOptions& options, const std::function<void(const std::string&)>& write_line);

/// Prints `report` as `options` say; the exit code is the highest of its clusters. `now` is what
/// ages are counted to.
report::Output PrintFleet(const migrate::report::FleetReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now);

/// Checks each cluster that `options.fleet` chooses as it would be checked alone, several at once,
/// with progress on stderr. What goes wrong with one is its error in the report; once a signal
/// comes those that were not begun are interrupted. Throws kube::base::Error where the kubeconfig
/// cannot be read, or nothing in it is chosen.
migrate::report::FleetReport CheckFleet(const CheckOptions& options);

}  // namespace plugin::command
