#pragma once

#include "kube/json/json.h"
#include "migrate/report/fleet_migration_report.h"

namespace plugin::report {

/// The report as programs read it (docs/REPORTS.md has the contract): the MigrationReport of each
/// cluster is in it as that of a single one would be.
///
/// The value borrows from `report`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::report::FleetMigrationReport& report,
                         kube::json::Arena& arena);

}  // namespace plugin::report
