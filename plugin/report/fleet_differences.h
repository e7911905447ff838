#pragma once

#include <string>
#include <vector>

#include "migrate/report/fleet_report.h"

namespace plugin::report {

/// "prod-a, prod-b", printable; of many the first ones and how many more there are, or `all`.
std::string ClusterNames(const std::vector<std::string>& clusters, bool all);

/// Which CRDs are not the same in all clusters, as whole lines: a table for each of those that are
/// there in several forms, and a line for each that some clusters lack (the first ones, or all if
/// `wide`). Empty where nothing differs.
std::string PrintDifferences(const migrate::report::FleetReport& report, bool wide);

}  // namespace plugin::report
