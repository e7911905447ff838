#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/rewrite_passes.h"
#include "migrate/rewrite/run_state.h"
#include "migrate/rewrite/sweep.h"

namespace migrate::migration {

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
/// The end of errors behind which nothing is left to go on from.
inline constexpr char kRunAnew[] = "; run the same command again";
/// The error of a run that was interrupted before pruning was on.
inline constexpr char kInterruptedBeforePruning[] = "interrupted before pruning was turned on";
/// The error of a run that ended before pruning was on.
std::string NotTurnedOn(const std::string& why);

/// A CRD as it is when it is about to be written with pruning on.
struct PruningTarget {
  std::string target;  ///< of the CRD: ".../v1/customresourcedefinitions/widgets.demo.example.com"
  check::CrdShape shape;
  std::string patch = check::kTurnPruningOn;  ///< that turns pruning on
  std::uint64_t schemas = 0;  ///< as CrdShape::schemas, of the CRD with pruning on; 0: they stay
};

/// What BackUp has come to.
struct BackedUp {
  /// With kDone the CRD is ready to be written; else the run has ended.
  PruningTurnedOn account{};
  PruningTarget target{};                       ///< the CRD, as its objects were backed up by it
  std::vector<rewrite::LosingObject> losing{};  ///< with a dry run: objects that would lose fields
};

/// Gets a CRD that preserves unknown fields, and has passed the preflight, ready to be written with
/// pruning on (docs/ARCHITECTURE.md, "A migration, step by step"): plan and question; the rewrite
/// before pruning is turned on where more than the storage version is stored; the backup, kept
/// current by a watch to the end, when the CRD is read: as soon as somebody else turns pruning on,
/// objects are read without the fields that the backup is made for. Nothing is left behind of a
/// backup that is not whole. What a later run needs is noted in the state.
///
/// With a dry run nothing is written anywhere, and only the plan is told.
///
/// Throws kube::base::Error for what no later run would get right by itself.
BackedUp BackUp(const PruningRun& run, const PruningOptions& options);

/// Turns pruning on for what BackUp has made ready, by a write that is guarded by the CRD's
/// resourceVersion, and waits until the server prunes. Where that has ended the run, its account is
/// handed on.
///
/// With DryRun::kServer that write is asked for with dryRun=All, with kClient not at all.
PruningTurnedOn TurnPruningOn(const PruningRun& run, const PruningOptions& options,
                              BackedUp backed_up);

/// Why an admission webhook that does not answer would keep every object from being rewritten, by
/// the dry run of one write, of an object of `losing` if there is any; empty: it does not, or the
/// session was stopped. What one object is refused for says nothing of the others.
std::string WhyNoneIsWritten(const PruningRun& run,
                             const std::vector<rewrite::LosingObject>& losing);

/// How the request to turn pruning on ended.
struct PruningWrite {
  enum class Step {
    kDone,     ///< pruning is on
    kRefused,  ///< it is not, or not by us: `error` says why
    kUnknown,  ///< it was asked for, and what came of it could not be seen, or not before a stop
    kInterrupted,  ///< by Session::stop, before it was asked for
  };
  Step step = Step::kRefused;
  std::string error;
  /// With kDone, of the CRD: writes with a greater one are surely newer than the write that turns
  /// pruning on. That of a dry run says nothing.
  std::string resource_version;
  std::int64_t generation = 0;  ///< of the CRD, with pruning on
};

/// Turns spec.preserveUnknownFields off, if the CRD is still the one of `target`: by its
/// resourceVersion, which is read again where only status or metadata have changed meanwhile.
///
/// Where the answer is lost, the CRD tells whether it was done: with pruning on, a generation
/// one higher and the schemas that it was to have, and the present resourceVersion counts as that
/// of the write that turns pruning on, which it is not before. Tries five times in all.
///
/// With `dry_run` nothing is changed: kDone says that the server would do it.
PruningWrite RequestPruning(const PruningTarget& target, bool dry_run,
                            const kube::client::Session& session);

}  // namespace migrate::migration
