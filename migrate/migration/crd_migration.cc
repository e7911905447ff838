#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "migrate/check/crd_guard.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/after_pruning_on.h"
#include "migrate/migration/steps.h"
#include "migrate/rewrite/rewrite_passes.h"
#include "migrate/rewrite/run_state.h"

namespace migrate::migration {
namespace {

// What is written before every server has noticed a change of the CRD may be stored as before it.
bool WaitUntilNoticed(CrdRun& run) {
  if (run.is_dry_run()) return true;
  const kube::base::Clock::TimePoint until =
      run.session().clock.Now() +
      check::TimeUntilNoticed(run.crd.live().document->root(), run.options.pruning.now());
  return cluster::WaitUntil(until, run.session()) || run.GoOn();
}

PruningRun PruningRunOf(CrdRun& run, const PreparedCrd& prepared) {
  return {.crd = prepared.live,
          .scope = prepared.scope,
          .sweep_options = prepared.sweep_options,
          .dry_run = run.options.dry_run,
          .state = *run.state,
          .session = run.session(),
          .patch = run.crd.pruning_patch(),
          .schemas = run.crd.upgraded_schemas(),
          .crd_file = run.report.crd_file,
          .pruning_crd = &run.crd.pruning(),
          .mutation = run.options.mutation,
          .find_loss = [&run] { return run.CheckLease(); }};
}

bool Record(PruningTurnedOn turned_on, CrdRun& run, PreparedCrd& prepared) {
  report::CrdMigration& report = run.report;
  report.pruning_enabled = turned_on.has_turned_on;
  report.before_pruning = turned_on.before_pruning;
  report.failures = std::move(turned_on.failures);
  report.backup = std::move(turned_on.backup);
  report.foretold_loss = std::move(turned_on.foretold_loss);
  report.mutation = std::move(turned_on.mutation);
  report.AddCleaned(turned_on.cleaned);
  report.managed_fields_emptied.merge(turned_on.emptied);
  report.outcome = turned_on.outcome;
  report.error = std::move(turned_on.error);
  const auto& mutation = run.options.mutation;
  prepared.is_mutated =
      mutation && !run.is_dry_run() && run.state->noted().mutation == mutation->fingerprint();
  rewrite::SweepOptions& sweep = prepared.sweep_options;
  sweep.is_held = std::move(turned_on.is_held);
  if (!turned_on.held_because.empty()) sweep.held_because = turned_on.held_because;
  return report.outcome == report::Outcome::kDone;
}

// The CRD has a new generation, and must be what it was in everything else.
bool ReadTurnedOn(CrdRun& run, PreparedCrd& prepared) {
  if (const auto error = run.crd.ReadTurnedOn()) return run.Fail(*error);
  run.report.stored_after = run.crd.live().stored_versions;
  prepared.scope.verify_from = run.session().clock.Now();
  ChooseCleaner(run, prepared);
  run.state->NoteRewriting(run.crd.expected());
  return true;
}

// By this run, or an earlier one that is gone on from, or whoever turned it on long ago.
bool SeeToPruning(CrdRun& run, PreparedCrd& prepared) {
  const PruningOptions& options = run.options.pruning;
  const PruningRun pruning = PruningRunOf(run, prepared);
  if (run.turns_pruning_on()) {
    BackedUp backed_up = BackUp(pruning, options);
    PruningTurnedOn turned_on = TurnPruningOn(pruning, options, std::move(backed_up));
    if (!Record(std::move(turned_on), run, prepared)) return false;
    return run.is_dry_run() || ReadTurnedOn(run, prepared);
  }
  if (!run.state->is_pruning_on()) {
    return run.state->goes_on() || AcceptHiddenLoss(run, prepared);
  }
  const bool is_resumed = Record(ResumePruning(pruning, options), run, prepared);
  run.report.managed_fields_emptied.merge(rewrite::FindEmptied(run.state->folder_before_pruning()));
  if (is_resumed) run.state->NoteRewriting(run.crd.expected());
  return is_resumed;
}

// What the next run has to know of how this one ended: after a run that ended by itself it begins
// anew, but for what is held.
rewrite::RunState::End EndOf(const report::CrdMigration& report, bool is_complete) {
  using End = rewrite::RunState::End;
  if (report.outcome == report::Outcome::kInterrupted ||
      report.outcome == report::Outcome::kError) {
    return End::kInTheMiddle;
  }
  const std::uint64_t held = report.counts[report::ObjectClass::kHeld];
  if (!is_complete || report.counts.Failures() > held) return End::kFailures;
  return held > 0 ? End::kHolding : End::kDone;
}

void Close(CrdRun& run, bool is_complete) {
  report::CrdMigration& report = run.report;
  // What nobody can bring back keeps nothing from being trimmed, but is no success.
  if (report.outcome == report::Outcome::kDone && !report.managed_fields_emptied.empty()) {
    report.outcome = report::Outcome::kFailures;
  }
  const rewrite::RunState::End end = EndOf(report, is_complete);
  // Also what was found to be false: it is of no more use.
  const bool is_of_no_use = run.crd.has_changed() || end != rewrite::RunState::End::kInTheMiddle;
  const bool has_succeeded = report.engine && report.engine->end == report::EngineEnd::kSucceeded;
  if (is_of_no_use && has_succeeded) run.engine->Remove();
  run.state->Close(end);
}

/// The order of a migration.
void Migrate(CrdRun& run) {
  PreparedCrd prepared;
  if (!Prepare(run, prepared)) return;
  run.OpenState(prepared.scope.verify_from);
  if (!TakeLease(run, prepared) || !WaitUntilNoticed(run)) return run.LeaveState();
  Verified verified;
  if (SeeToPruning(run, prepared)) {  // BackUp, TurnPruningOn
    if (run.options.dry_run == report::DryRun::kClient) return ForetellRewrite(run, prepared);
    if (std::optional<Rewritten> rewritten = Rewrite(run, prepared)) {
      verified = Verify(run, prepared, *std::move(rewritten));
    }
    Trim(run, prepared, verified);
  }
  Close(run, verified.is_complete);
}

}  // namespace

report::CrdMigration MigrateCrd(const MigrationContext& context, const check::LiveCrd& found) {
  const kube::base::Clock::TimePoint start = context.session.clock.Now();
  CrdRun run(context, found);
  try {
    Migrate(run);
  } catch (const std::exception& error) {  // also those of the file system
    std::string why = error.what();
    if (run.report.pruning_enabled) {
      why += "\npruning is on; the same command, with the same --state-dir, goes on from here";
    }
    run.Fail(std::move(why));
    run.LeaveState();
  }
  run.lease.reset();
  RememberFailed(run);
  run.report.seconds = std::chrono::duration<double>(context.session.clock.Now() - start).count();
  return std::move(run.report);
}

}  // namespace migrate::migration
