#pragma once

#include <string>

#include "migrate/report/fleet_report.h"
#include "plugin/report/check_table.h"

namespace plugin::report {

/// Prints the report for people: a row for each CRD of each cluster, and one for each cluster that
/// has none, or could not be checked; below why that was, what is not the same in all of them, and
/// what explains the rows, once for those clusters that it is the same for.
///
/// With many rows the first line counts them by verdict, and the CRDs of a cluster that prune
/// already without a finding are one row.
std::string PrintFleetTable(const migrate::report::FleetReport& report,
                            const CheckTableOptions& options);

/// Which clusters could not be checked, and why, a line each: "prod-a could not be checked: ...".
/// Those that were only interrupted have one line.
std::string FleetErrors(const migrate::report::FleetReport& report);

}  // namespace plugin::report
