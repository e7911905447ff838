#pragma once

#include <string>
#include <vector>

#include "migrate/report/fleet_report.h"
#include "plugin/report/check_table.h"

namespace plugin::report {

/// "prod-a, prod-b", printable; of many the first ones and how many more there are, or `all`.
std::string ClusterNames(const std::vector<std::string>& clusters, bool all);

/// Which CRDs are not the same in all clusters, as whole lines: a table for each of those that are
/// there in several forms, and a line for each that some clusters lack (the first ones, or all if
/// `wide`). Empty where nothing differs.
std::string PrintDifferences(const migrate::report::FleetReport& report, bool wide);

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
