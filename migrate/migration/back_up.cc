#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "kube/base/result.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/gitops_owner.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/migration/admission_webhooks.h"
#include "migrate/migration/pruning_plan.h"
#include "migrate/migration/turn_pruning_on.h"
#include "migrate/rewrite/backup.h"
#include "migrate/rewrite/backup_run.h"
#include "migrate/rewrite/known_writes.h"
#include "migrate/rewrite/mutation_pass.h"

namespace migrate::migration {
namespace {

namespace fs = std::filesystem;

/// The end of the error that says that the CRD was changed before pruning was on, as `crd` is now.
std::string NextStepBehindChange(const kube::crd::Crd& crd) {
  if (crd.preserve_unknown_fields) return kRunAnew;
  return "; nobody can make a backup any more: the same command will rewrite objects without one";
}

// Which of the stored versions' schemas will prune: rewritten before, all are of the storage
// version.
std::vector<std::string> PruningVersions(const PruningRun& run, bool is_in_one_pass) {
  const kube::crd::CrdVersion* storage = run.pruning_crd->StorageVersion();
  if (is_in_one_pass || storage == nullptr) return run.pruning_crd->stored_versions;
  return {storage->name};
}

// A backup without it would be taken for one of an earlier release.
void KeepPruningCrd(const PruningRun& run, const std::string& backup, bool is_in_one_pass) {
  if (run.pruning_crd == nullptr) return;
  try {
    rewrite::WritePrunedBy(backup, *run.pruning_crd, PruningVersions(run, is_in_one_pass));
  } catch (const kube::base::Error&) {
    std::error_code error;
    std::filesystem::remove(backup, error);
    throw;
  }
}

/// One call of BackUp. A step that returns false has ended the run, and said why in `ended_`.
class BackingUp {
 public:
  BackingUp(const PruningRun& run, const PruningOptions& options)
      : run_(run),
        options_(options),
        facts_(run.crd.checks.at(0)->facts().report),
        forecast_(*run.crd.checks.at(0), run.crd.read_version, is_in_one_pass()) {}

  BackedUp Run() {
    if (run_.dry_run == report::DryRun::kNone) observer().RequireAnswer();
    const bool is_planned = ReadCrd() && ReportPlan();
    if (is_planned && run_.dry_run == report::DryRun::kNone) BeginAndBackUp();
    ended_.foretold_loss = std::move(foretold_loss_);
    ended_.mutation = std::move(mutation_facts_);
    return {std::move(ended_), std::move(pruning_target_), std::move(losing_)};
  }

 private:
  rewrite::MigrationObserver& observer() const { return run_.session.observer; }
  kube::client::Client& client() const { return run_.session.client; }
  bool is_stopped() const { return run_.session.is_stopped(); }
  bool rewrites_before() const {
    return run_.mutation || (facts_.migration_needed && !options_.single_pass);
  }
  bool is_in_one_pass() const { return facts_.migration_needed && options_.single_pass; }

  // For `return Fail(...)`: what was already found stays.
  bool Fail(report::Outcome outcome, std::string error) {
    ended_.outcome = outcome;
    ended_.error = std::move(error);
    return false;
  }
  bool Fail(std::string error) { return Fail(report::Outcome::kError, std::move(error)); }
  bool Interrupt() { return Fail(report::Outcome::kInterrupted, kInterruptedBeforePruning); }

  bool BeginAndBackUp() {
    if (!observer().Confirm("Turn pruning on for " + run_.name() +
                            "? apiextensions.k8s.io/v1 cannot turn it off again.")) {
      return Fail("pruning was not turned on, as that was not confirmed");
    }
    foretold_loss_->is_agreed = true;
    // Long may have passed: with a plan of many objects, and a person who thinks it over.
    if (!ReadCrd() || !TryOneWrite()) return false;
    if (run_.mutation && !BackUpMutated()) return false;
    if (rewrites_before() && !RewriteBefore()) return false;
    return MakeBackup();
  }

  bool TryOneWrite() {
    const std::string why = WhyNoneIsWritten(run_, losing_);
    if (is_stopped()) return Interrupt();
    return why.empty() || Fail("pruning was not turned on, as " + why);
  }

  bool ReadCrd() {
    pruning_target_ = {check::FindCrdsTarget(client()) + "/" + kube::client::UrlEscape(run_.name()),
                       run_.crd.shape, run_.patch, run_.schemas};
    auto crd = check::GetCrd(client(), pruning_target_.target);
    if (!crd) return Fail(crd.error().message);
    if (const auto change = check::CheckCrdUnchanged(run_.crd.shape, *crd)) {
      return Fail(*change + NextStepBehindChange(*crd));
    }
    gitops_owner_ = check::FindGitOpsOwner(crd->document->root());
    return true;
  }

  bool ReportPlan() {
    const PruningDryRun dry_run =
        DryRunPruning(run_.crd, forecast_,
                      {.chunk_size = run_.sweep_options.chunk_size,
                       .on_progress = rewrite::ProgressOf("reading " + run_.name(), observer()),
                       .mutation = run_.mutation},
                      run_.session);
    if (is_stopped()) return Interrupt();
    if (!dry_run.error.empty()) return Fail(dry_run.error);
    backup_path_ = NewBackupPath();
    if (const std::string why = rewrite::WhyNotWritable(backup_path_); !why.empty()) {
      return Fail("cannot write the backup " + why + "; name another folder by --backup-dir");
    }
    losing_ = dry_run.losing;
    const UpdateWebhooks webhooks = FindWebhooks();
    PruningPlan plan{.dry_run = dry_run,
                     .webhooks = webhooks,
                     .gitops_owner = gitops_owner_,
                     .rewrites_before = rewrites_before(),
                     .in_one_pass = is_in_one_pass(),
                     .verifies = run_.scope.verify,
                     .pace = run_.sweep_options.pace,
                     .backup = backup_path_.string(),
                     .crd_file = run_.crd_file,
                     .mutation = run_.mutation ? run_.mutation->sources() : "",
                     .keeps_managed_fields = run_.scope.target.cleaner != nullptr};
    if (run_.mutation) {
      mutation_facts_ = {.sources = run_.mutation->sources(),
                         .objects = dry_run.report.object_count,
                         .objects_changing = dry_run.mutated};
    }
    plan.cost = MeasureCost(plan);
    if (is_stopped()) return Interrupt();
    foretold_loss_ = ForetellLoss(plan);
    observer().OnForetold(run_.name(), *foretold_loss_);
    return true;
  }

  // A few writes are not worth it.
  report::WriteCost MeasureCost(const PruningPlan& plan) const {
    constexpr double kFewSeconds = 2;
    const bool may_try = run_.dry_run != report::DryRun::kClient && !run_.scope.target.by_update;
    if (!may_try || EstimateWrites(plan) < kFewSeconds) return plan.cost;
    return MeasureWriteCost(plan.dry_run.sizes, run_.scope.target, run_.session);
  }

  UpdateWebhooks FindWebhooks() const {
    return FindUpdateWebhooks({.group = run_.crd.identity.group,
                               .plural = run_.crd.identity.names.plural,
                               .served_versions = facts_.served_versions,
                               .written_version = run_.scope.target.version,
                               .is_namespaced = run_.crd.is_namespaced},
                              client());
  }

  // As they are: the backup before pruning is turned on has what the mutation has made of them.
  bool BackUpMutated() {
    mutation_pass_.emplace(
        rewrite::MutationPassOptions{
            .crd_name = run_.name(),
            .list = run_.crd.ObjectsTarget(""),
            .backup_dir = options_.no_backup ? fs::path() : options_.backup_dir,
            .now = std::chrono::floor<std::chrono::seconds>(options_.now()),
            .chunk_size = run_.sweep_options.chunk_size},
        run_.mutation, run_.session);
    const auto error = mutation_pass_->Prepare();
    if (is_stopped()) return Interrupt();
    if (error) return Fail(*error);
    mutation_facts_ = mutation_pass_->facts();
    mutation_pass_->ReportBackup();
    return true;
  }

  bool RewriteBefore() {
    rewrite::SweepTarget target = run_.scope.target;
    if (mutation_pass_) mutation_pass_->Join(target);
    const rewrite::RewriteScope scope{.crd_name = run_.name() + " (before pruning)",
                                      .target = target,
                                      .verified_words = "rewritten before the switch",
                                      .verify_from = run_.scope.verify_from,
                                      .passes_after = run_.scope.verify ? 2U : 1U};
    rewrite::RewriteResult result = rewrite::RunRewritePasses(
        scope, run_.sweep_options, run_.state.MakeFolderBeforePruning(), run_.session);
    if (mutation_pass_) mutation_facts_ = mutation_pass_->facts();
    ended_.before_pruning = result.sweep.counts;
    ended_.cleaned = result.cleaned;
    ended_.emptied = result.emptied;
    ended_.failures = std::move(result.sweep.failures);
    std::move(result.later_failures.begin(), result.later_failures.end(),
              std::back_inserter(ended_.failures));
    return TakeRewriteBefore(result);
  }

  bool TakeRewriteBefore(const rewrite::RewriteResult& result) {
    if (result.is_interrupted) return Interrupt();
    if (const auto loss = CheckLease()) return Fail(NotTurnedOn(*loss) + kGoesOn);
    // Of a change of the CRD it looks like a failure of objects.
    if (result.stopped && !ReadCrd()) return false;
    if (result.list_error) return Fail(result.list_error->message + kGoesOn);
    if (result.is_broken) return Fail(*result.stopped + kGoesOn);
    if (result.verified && ended_.failures.empty()) return true;
    // The next run has to try what failed anew.
    run_.state.ForgetBeforePruning();
    std::string why = "not every object could be rewritten";
    if (result.stopped) {
      why = *result.stopped;
    } else if (ended_.failures.empty()) {
      why = result.unverified_because;
    }
    const std::string reason =
        run_.mutation ? "; objects that were mutated stay so"
                      : "; in an object that is stored in an older version more would be lost "
                        "(--single-pass takes that)";
    return Fail(report::Outcome::kFailures,
                "pruning was not turned on, and nothing was pruned: " + why + reason);
  }

  std::optional<std::string> CheckLease() const {
    return run_.find_loss ? run_.find_loss() : std::nullopt;
  }

  fs::path NewBackupPath() const {
    if (options_.no_backup) return {};
    return rewrite::BackupPath(options_.backup_dir, run_.name(),
                               std::chrono::floor<std::chrono::seconds>(options_.now()));
  }

  // An earlier backup counts until there is a new one: pruning may be turned on meanwhile. Without
  // a backup nothing can be missing from it.
  bool MakeBackup() {
    if (options_.no_backup) {
      rewrite::ForgetKnownWrites(run_.state.known_writes());
    } else {
      try {
        if (!WriteBackup()) return false;
      } catch (const kube::base::Error& error) {  // a full disk, of which a reader knows nothing
        return Fail(NotTurnedOn(error.what()));
      }
    }
    if (is_stopped()) return Interrupt();
    run_.state.NoteBackup(ended_.backup, std::exchange(losing_, {}),
                          run_.mutation ? run_.mutation->fingerprint() : "");
    return true;
  }

  // Beside it the CRD by which its objects will be pruned (WritePrunedBy), and which writes of
  // objects it knows, in the state's file for that.
  bool WriteBackup() {
    const rewrite::BackupRunOptions options{
        .target = run_.crd.ObjectsTarget(""),
        .path = backup_path_,
        .known_writes = run_.state.known_writes(),
        .generation = run_.crd.shape.generation,
        .chunk_size = run_.sweep_options.chunk_size,
        .on_progress = rewrite::ProgressOf("backing up " + run_.name(), observer())};
    rewrite::BackupRun backing_up(options, forecast_, run_.session);
    switch (backing_up.Read()) {
      case rewrite::BackupRun::Step::kInterrupted:
        return Interrupt();
      case rewrite::BackupRun::Step::kFailed:
        return Fail(NotTurnedOn(backing_up.error()));
      case rewrite::BackupRun::Step::kDone:
        break;
    }
    if (const std::string why = backing_up.unwatched_because(); !why.empty()) {
      observer().OnLine("Warning: " + run_.name() + " cannot be watched (" + why +
                        "): objects written from now on until pruning is on are held");
    }
    backing_up.EndWatch();
    return IsCrdUnchanged() && Complete(backing_up);
  }

  // The CRD is what it was when its objects were first read.
  bool IsCrdUnchanged() {
    const auto crd = check::GetCrd(client(), pruning_target_.target);
    if (is_stopped()) return Interrupt();
    const std::string refused = "pruning was not turned on, and the backup is thrown away: ";
    if (!crd) return Fail(refused + crd.error().message + kRunAnew);
    const auto change = check::CheckCrdUnchanged(run_.crd.shape, *crd);
    return !change || Fail(refused + *change + NextStepBehindChange(*crd));
  }

  bool Complete(rewrite::BackupRun& backing_up) {
    const rewrite::BackupSummary summary = backing_up.Complete();
    losing_ = backing_up.losing();
    if (summary.path.empty()) return true;
    KeepPruningCrd(run_, summary.path, is_in_one_pass());
    // A later run, perhaps from another folder, names it too.
    ended_.backup = fs::absolute(summary.path).string();
    observer().OnLine("backup: " + summary.path + " (" +
                      DescribeSize(summary.objects, summary.bytes) + ")");
    return true;
  }

  const PruningRun& run_;
  const PruningOptions& options_;
  const report::CrdReport& facts_;  // without objects
  const check::RewriteForecast forecast_;

  PruningTarget pruning_target_;
  std::string gitops_owner_;
  fs::path backup_path_;
  std::vector<rewrite::LosingObject> losing_;
  std::optional<report::ForetoldLoss> foretold_loss_;
  std::optional<rewrite::MutationPass> mutation_pass_;
  std::optional<report::MutationFacts> mutation_facts_;
  PruningTurnedOn ended_;
};

}  // namespace

BackedUp BackUp(const PruningRun& run, const PruningOptions& options) {
  return BackingUp(run, options).Run();
}

}  // namespace migrate::migration
