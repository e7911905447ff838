#pragma once

#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "plugin/cli/migrate_options.h"

namespace plugin::command {

/// The options of the migration of `context` alone, out of those of a fleet: it has a folder for
/// backups of its own, below that of all.
cli::MigrateOptions OptionsOfCluster(const cli::MigrateOptions& options,
                                     const std::string& context);

/// Migrates each cluster that `options.fleet` chooses as it would be migrated alone, several at
/// once, with progress on stderr. `common` is how: the same for all but for the folder of backups.
/// First each is asked which cluster it is, so that one to which several contexts lead is migrated
/// once: where that is proven (ProveSameCluster). One that only may be the same as another is not
/// migrated, which is its error; in a dry run it is shown. What has to be agreed to is asked of a
/// person once for all clusters, when each of them has come so far, or has ended.
///
/// What goes wrong with one is its error in the report; once a signal comes those that are under
/// way end as one alone does, and those that were not begun are interrupted. Throws
/// kube::base::Error where the kubeconfig cannot be read, nothing in it is chosen, or there is no
/// room for the threads; nothing was written then.
migrate::report::FleetMigrationReport MigrateFleet(
    const cli::MigrateOptions& options, const migrate::migration::MigrationOptions& common);

}  // namespace plugin::command
