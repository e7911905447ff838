#pragma once

#include <string>

#include "migrate/report/migration_report.h"
#include "plugin/command/commands.h"
#include "plugin/command/migration_summary.h"

namespace plugin::command {

/// Prints `report` as `options` say: for people a row for each CRD of each cluster, and one for
/// each cluster of which there is none. stderr gets what it would of each cluster alone, each line
/// behind its name. The exit code is the highest of the clusters.
report::Output PrintFleetMigration(const migrate::report::FleetMigrationReport& report,
                                   const MigrateOptions& options);

}  // namespace plugin::command
