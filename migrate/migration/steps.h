#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_objects.h"
#include "migrate/migration/crd_run.h"
#include "migrate/migration/preflight.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/migration/turn_pruning_on.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/mutation_pass.h"
#include "migrate/rewrite/rewrite_passes.h"
#include "migrate/rewrite/sweep.h"

/// The steps of a migration, in the order in which crd_migration.cc takes them: Prepare, TakeLease,
/// BackUp and TurnPruningOn (turn_pruning_on.h), Rewrite, Verify, Trim. Each is in the file of its
/// name, and takes what the steps before it have returned.
namespace migrate::migration {

/// Migrates one CRD by all steps, from the preflight to the trim of status.storedVersions. It is
/// read first: long may have passed since it was `found`.
///
/// Whatever goes wrong is in the result; also what Client::Poll throws (no credentials) and what
/// cannot be written to the state folder or the backup becomes an Outcome::kError.
report::CrdMigration MigrateCrd(const MigrationContext& context, const check::LiveCrd& found);

/// What is known of a CRD before anything is written, and which objects are to be written, and how.
struct PreparedCrd {
  check::LiveCrd live;  ///< checked, as it prunes or would
  Preflight preflight;
  rewrite::RewriteScope scope;
  rewrite::SweepOptions sweep_options;
  /// Objects were mutated before pruning was turned on, by this run or an earlier one.
  bool is_mutated = false;
};

/// Path of the list of the objects that a run is about, with its selectors.
std::string ListTarget(const PreparedCrd& prepared, const MigrationOptions& options);

/// Reads the CRD, also once more, with the file that it is to come by, and finds out whether it can
/// be migrated. What a person has to know is told.
bool Prepare(CrdRun& run, PreparedCrd& prepared);

/// Decides which entries of managedFields the writes clean, by the CRD as it is when they are sent.
/// Where a webhook converts, the server is asked by dry runs (AskAboutEntries), and what it
/// answered is told.
void ChooseCleaner(CrdRun& run, PreparedCrd& prepared);

/// What the cluster's own engine would migrate; `version` is that to write objects in.
MigratedResource MigratedOf(const RunCrd& crd, const std::string& version);

/// Sees to it that no other run is at work on the CRD, and none will be: CrdRun::lease. Where
/// another one was waited for, all is prepared anew, and its state opened again. Nothing in a dry
/// run.
bool TakeLease(CrdRun& run, PreparedCrd& prepared);

/// Of a CRD that prunes already: tells what etcd may hold of its objects that a rewrite removes.
/// Whoever asks for pruning (MigrationOptions::enable_pruning) thinks that it is off and that a
/// backup will be made, and is asked, but for a dry run. managedFields keep such fields after a
/// rewrite too, so this proves nothing.
bool AcceptHiddenLoss(CrdRun& run, const PreparedCrd& prepared);

/// What Rewrite has come to.
struct Rewritten {
  rewrite::RewriteResult result;                    ///< of the rewriting pass
  std::unique_ptr<rewrite::MutationPass> mutation;  ///< where the passes mutate; they refer to it
  std::filesystem::path folder;                     ///< of the passes' files
  /// check::Proof::pruned_since; present where verifying proves that every server prunes: of all
  /// objects or of none.
  std::optional<std::uint64_t> pruned_since{};
};

/// Rewrites the objects, or has the cluster's own engine do that (CrdRun::engine), so that the pass
/// here verifies it. Absent: the run has ended.
std::optional<Rewritten> Rewrite(CrdRun& run, PreparedCrd& prepared);

/// In the place of Rewrite and all after it with DryRun::kClient: how many objects there are, what
/// a mutation changes, and who would rewrite them.
void ForetellRewrite(CrdRun& run, PreparedCrd& prepared);

/// What the passes over the objects have shown, as far as the report does not have it.
struct Verified {
  bool is_complete = false;          ///< every object was tried
  std::string unverified_because{};  ///< RewriteResult::unverified_because
};

/// Verifies by further passes that all is rewritten, and writes into the report what became of the
/// objects, and how the run ends by that. What is proven of all objects is remembered for later
/// checks.
Verified Verify(CrdRun& run, const PreparedCrd& prepared, Rewritten rewritten);

/// Remembers which objects failed, for --retry-failed; of a CRD that prunes alone, as before that
/// all objects have to be clean. Nothing of a dry run. Where that cannot be written a warning says
/// so.
void RememberFailed(const CrdRun& run);

/// Trims status.storedVersions, unless there is a reason against it, or the Lease is lost: whoever
/// holds it then decides about them.
void Trim(CrdRun& run, const PreparedCrd& prepared, const Verified& verified);

/// Why status.storedVersions stays as it is; empty: it may be trimmed, or holds the storage version
/// alone. Of several reasons the first one, as it is the one to fix.
///
/// `unverified_because` is that of the rewrite, `cannot_trim` that of the preflight.
std::string WhyVersionsKept(const report::CrdMigration& report, const MigrationOptions& options,
                            const std::string& unverified_because, const std::string& cannot_trim);

/// A CRD that is to be as it was.
struct ExpectedCrd {
  const std::string& target;  ///< its path
  const check::CrdShape& shape;
};

/// Brings status.storedVersions to what the run in `report` has proven, and says so there: trims
/// them, unless `report.kept_because` says why they stay. Then what the cluster has trimmed by its
/// own engine is put back; that it cannot be is a warning.
void EndStoredVersions(report::CrdMigration& report, const ExpectedCrd& crd,
                       const rewrite::MigrationSession& session);

/// How status.storedVersions is after an attempt to set it.
struct TrimmedVersions {
  std::vector<std::string> after;  ///< what the server holds now, as far as it is known
  std::string kept_because;        ///< why it could not be set; empty: it is as it should be
  bool is_changed = false;         ///< because the CRD is no longer what was expected
};

/// Sets status.storedVersions of the CRD at `target` to the storage version alone, or to
/// `versions`, if the CRD is still what `expected` says. The write is guarded by the CRD's
/// resourceVersion: after a conflict or passing trouble of the server the CRD is read and compared
/// again, a few times within half a minute, unless the session is stopped. The server takes any
/// names here, so the value is read back.
///
/// Nothing else than this may be checked here: that every object was migrated and verified is for
/// the caller to know. Nothing is thrown for what the server says.
TrimmedVersions TrimStoredVersions(const std::string& target, const check::CrdShape& expected,
                                   const kube::client::Session& session);
TrimmedVersions PutStoredVersionsBack(const std::string& target, const check::CrdShape& expected,
                                      const std::vector<std::string>& versions,
                                      const kube::client::Session& session);

}  // namespace migrate::migration
