#pragma once

#include <string>

#include "migrate/report/migration_report.h"
#include "plugin/command/commands.h"

namespace plugin::command {

/// What goes where, and how the program ends.
struct MigrationOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 done, 1 some object was not migrated, 2 an error; not of signals
};

/// Prints `report` in the format of `options`; of pages (plugin/report) what stderr gets
/// alone.
MigrationOutput PrintMigration(const migrate::report::MigrationReport& report,
                               const MigrateOptions& options);

/// What stderr gets of it alone, of which people and programs do not get the same.
std::string PrintMigrationErrors(const migrate::report::MigrationReport& report,
                                 const MigrateOptions& options);

/// How a program ends that found this, 0, 1 or 2; what a signal makes of it does not count.
int ExitCodeOf(const migrate::report::MigrationReport& report);

/// The stored versions, and what they have become: "v1beta1,v1 -> v1". As the server has them.
std::string StoredVersionsText(const migrate::report::CrdMigration& crd);

/// What became of the objects of a CRD: "3 objects: 2 rewritten, 1 unchanged".
std::string MigratedObjectsText(const migrate::report::CrdMigration& crd);

}  // namespace plugin::command
