#pragma once

#include "migrate/report/fleet_report.h"
#include "plugin/command/check_options.h"

namespace plugin::command {

/// Checks each cluster that `options.fleet` chooses as it would be checked alone, several at once,
/// with progress on stderr. What goes wrong with one is its error in the report; once a signal
/// comes those that were not begun are interrupted. Throws kube::base::Error where the kubeconfig
/// cannot be read, or nothing in it is chosen.
migrate::report::FleetReport CheckFleet(const CheckOptions& options);

}  // namespace plugin::command
