#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "migrate/check/live_crd.h"
#include "migrate/migration/crd_migration.h"
#include "migrate/migration/preflight.h"
#include "migrate/migration/run_crd.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/rewrite_passes.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::migration {

/// What a server makes of managedFields that name versions to which a webhook converts.
struct EntryAnswers {
  /// Versions whose entries are to be cleaned: the server was seen to empty managedFields that name
  /// them, or nobody knows whether it would.
  std::set<std::string> unfit{};
  std::vector<std::string> lines{};  ///< for people
};

struct EntryQuestion {
  const kube::crd::Crd& crd;
  const rewrite::SweepTarget& target;  ///< its objects, and the version to write them in
  bool may_ask = true;                 ///< by dry runs
  std::int64_t chunk_size = 500;
};

/// Finds out what a write does to managedFields of the objects of a CRD whose versions a webhook
/// converts. No schema tells: the server converts the object to each version that an entry names,
/// and empties managedFields where the webhook does not answer, or makes what the schema of that
/// version does not specify.
///
/// The objects are grouped by the versions that their entries name. For each group one object is
/// written by a dry run, sixteen groups at most. Where the server refuses dry runs, or may not be
/// asked, the versions of the group are unfit. Nothing is asked, and nothing told, of a CRD without
/// a webhook.
EntryAnswers AskAboutEntries(const EntryQuestion& question, const kube::client::Session& session);

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
