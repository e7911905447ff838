#pragma once

#include "migrate/report/fleet_report.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// What `check` says to people of a fleet: a section for each CRD of each cluster, by the name
/// "CLUSTER / CRD", and one for each cluster that could not be checked; in the order of the report.
Page PageOf(const migrate::report::FleetReport& report);

}  // namespace plugin::report
