#pragma once

#include <string>

#include "migrate/report/migration_report.h"
#include "plugin/flags/migrate_options.h"

namespace plugin::report::text {

/// What goes where, and how the program ends.
struct MigrationOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 done, 1 some object was not migrated, 2 an error; not of signals
};

/// Prints `report` in the format of `options`; of pages (plugin/report/format) what stderr gets
/// alone.
MigrationOutput PrintMigration(const migrate::report::MigrationReport& report,
                               const flags::MigrateOptions& options);

}  // namespace plugin::report::text
