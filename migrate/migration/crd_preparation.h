#pragma once

#include <string>

#include "kube/crd/crd.h"
#include "migrate/check/live_crd.h"
#include "migrate/migration/crd_migration.h"
#include "migrate/migration/preflight.h"
#include "migrate/migration/run_crd.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/rewrite_passes.h"

namespace migrate::migration {

/// What is known of a CRD before anything is written, and which objects are to be written, and how.
struct PreparedCrd {
  check::LiveCrd live;  ///< checked, as it prunes or would
  Preflight preflight;
  rewrite::RewriteScope scope;
};

/// Reads the CRD, also once more, with the file that it is to come by, and finds out whether it can
/// be migrated. `found` is the CRD as it was when all were read. What a person has to know is told.
/// False: the run has ended, and `report` says why.
bool PrepareCrd(const MigrationContext& context, const check::LiveCrd& found, RunCrd& crd,
                PreparedCrd& prepared, report::CrdMigration& report);

/// The run is to turn pruning on.
bool TurnsPruningOn(const MigrationOptions& options, const RunCrd& crd);

/// Decides which entries of managedFields the writes clean, by `crd` as it is when they are sent.
/// Where a webhook converts, the server is asked by dry runs (entry_question.h), and what it
/// answered is told.
void ChooseCleaner(const kube::crd::Crd& crd, const MigrationContext& context,
                   PreparedCrd& prepared, report::CrdMigration& report);

/// What the cluster's own engine would migrate; `version` is that to write objects in.
MigratedResource MigratedOf(const RunCrd& crd, const std::string& version);

}  // namespace migrate::migration
