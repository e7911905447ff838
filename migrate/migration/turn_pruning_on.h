#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/live_crd.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/rewrite_passes.h"
#include "migrate/rewrite/run_state.h"
#include "migrate/rewrite/sweep.h"

namespace migrate::migration {

/// Finds a tool that keeps `object` as some repository or chart says, and may undo a change of it:
/// `Argo CD (annotation argocd.argoproj.io/tracking-id)`. Empty where there is no sign of one: the
/// labels and annotations that Argo CD, Flux and Helm set, and the field managers they write as.
std::string FindGitOpsOwner(const kube::json::Value& object);

/// How the user wants pruning to be turned on.
struct PruningOptions {
  bool single_pass = false;  ///< do not rewrite before pruning is turned on
  bool no_backup = false;
  bool rewrite_unbacked = false;  ///< hold nothing
  std::filesystem::path backup_dir = "kubectl-prune-backup";
  std::chrono::nanoseconds settle_timeout = std::chrono::minutes(2);
  /// The time of day, for the name of the backup.
  std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

/// The run over one CRD for which pruning is turned on. All must outlive the call that it is given
/// to.
struct PruningRun {
  const check::LiveCrd& crd;  ///< with the check of what it is once pruning is on
  /// Of the sweep after pruning is on. The rewrite before pruning is turned on has the same target
  /// and the same `verify_from`.
  const rewrite::RewriteScope& scope;
  const rewrite::SweepOptions& sweep_options;
  report::DryRun dry_run = report::DryRun::kNone;
  rewrite::RunState& state;
  const rewrite::MigrationSession& session;
  std::string patch = check::kTurnPruningOn;  ///< PruningTarget::patch
  std::uint64_t schemas = 0;                  ///< PruningTarget::schemas
  std::string crd_file{};  ///< whose CRD comes with pruning; empty: it stays what it is
  /// The CRD by which objects will be pruned, which is kept beside the backup, for restore; the
  /// null pointer: it is not.
  const kube::crd::Crd* pruning_crd = nullptr;

  /// Changes objects before pruning is turned on; the null pointer: there is none.
  std::shared_ptr<const check::ObjectMutation> mutation{};

  /// Is asked right before pruning is turned on. A text: it is not for this run to ask for it any
  /// more, and why. Empty: it always is.
  std::function<std::optional<std::string>()> find_loss{};

  const std::string& name() const { return crd.identity.name; }
};

/// How turning pruning on ended. With kDone pruning is on, and the server was seen to prune; with a
/// dry run it would be.
struct PruningTurnedOn {
  report::Outcome outcome = report::Outcome::kDone;
  std::string error;           ///< where it is not kDone: why, and the next step
  bool has_turned_on = false;  ///< this run has turned pruning on, whatever came then
  std::optional<report::ClassCounts>
      before_pruning;  ///< where everything was rewritten before pruning is turned on
  std::vector<report::ObjectFailure> failures;      ///< of that
  report::ManagedFieldsCleaned cleaned{};           ///< of that, too
  std::set<std::string> emptied{};                  ///< RewriteResult::emptied of that
  std::string backup;                               ///< path; empty: none
  std::optional<report::MutationFacts> mutation{};  ///< where there is one, and the plan was told
  std::optional<report::ForetoldLoss> foretold_loss{};  ///< where the plan was told
  /// For SweepOptions::is_held of the sweep that follows; empty: nothing is to be held.
  std::function<bool(const cluster::ListedObject&)> is_held;
  std::string held_because;  ///< SweepOptions::held_because; empty: as it is there

  static PruningTurnedOn End(report::Outcome outcome, std::string error);
};

/// The end of errors behind which a later run has something to go on from.
inline constexpr char kGoesOn[] = "; the same command goes on from here";

/// Turns pruning on for a CRD that preserves unknown fields and has passed the preflight
/// (docs/ARCHITECTURE.md, "A migration, step by step"): dry run, plan and question; the rewrite
/// before pruning is turned on where more than the storage version is stored; the backup, kept
/// current by a watch; the write that turns pruning on, guarded by the CRD's resourceVersion; the
/// wait until the server prunes. What a later run needs is noted in the state before that write is
/// asked for.
///
/// With a dry run nothing is written anywhere: the plan is told, and with kServer the write that
/// turns pruning on is asked for with dryRun=All.
///
/// Throws kube::base::Error for what no later run would get right by itself: a backup that cannot
/// be written.
PruningTurnedOn TurnPruningOn(const PruningRun& run, const PruningOptions& options);

}  // namespace migrate::migration
