#pragma once

#include "migrate/report/migration_report.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// What `migrate` says to people of a fleet: a section for each CRD of each cluster, by the name
/// "CLUSTER / CRD", and one for each cluster that was not migrated; in the order of the report.
Page PageOf(const migrate::report::FleetMigrationReport& report);

}  // namespace plugin::report
