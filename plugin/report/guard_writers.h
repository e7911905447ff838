#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"

namespace plugin::report {

/// Reads the GuardReports of `filenames`, several where a guard had several replicas or days, each
/// only once. Throws kube::base::Error, which names the file, for one that is none.
std::vector<migrate::report::GuardReport> ReadGuardReports(
    const std::vector<std::string>& filenames);

/// Puts the writers that they name into the CRDs of `report`: a writer and a path once, with the
/// sums of its counts. Those of other CRDs are passed over.
void AddGuardWriters(const std::vector<migrate::report::GuardReport>& guards,
                     migrate::report::CheckReport& report);

}  // namespace plugin::report
