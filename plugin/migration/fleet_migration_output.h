#pragma once

#include <string>

#include "migrate/report/fleet_migration_report.h"
#include "plugin/flags/migrate_options.h"
#include "plugin/report/text/migration_summary.h"

namespace plugin::migration {

/// Prints `report` as `options` say: for people a row for each CRD of each cluster, and one for
/// each cluster of which there is none. stderr gets what it would of each cluster alone, each line
/// behind its name. The exit code is the highest of the clusters.
report::text::MigrationOutput PrintFleetMigration(
    const migrate::report::FleetMigrationReport& report, const flags::MigrateOptions& options);

}  // namespace plugin::migration
