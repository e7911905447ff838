#include "migrate/migration/backup_before_pruning.h"

#include <system_error>
#include <utility>

#include "kube/base/result.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/crd_shape.h"
#include "migrate/migration/pruning_plan.h"
#include "migrate/rewrite/backup_run.h"
#include "migrate/rewrite/pruned_by.h"

namespace migrate::migration {
namespace {

BackedUp EndBackup(report::Outcome outcome, std::string error) {
  BackedUp end;
  end.outcome = outcome;
  end.error = std::move(error);
  return end;
}

// kDone: the CRD is what it was when its objects were first read.
BackedUp LookAtCrd(const PruningRun& run, const std::string& crd_target) {
  const auto crd = check::GetCrd(run.session.client, crd_target);
  if (run.session.is_stopped())
    return EndBackup(report::Outcome::kInterrupted, kInterruptedBeforePruning);
  const std::string refused = "pruning was not turned on, and the backup is thrown away: ";
  if (!crd) return EndBackup(report::Outcome::kError, refused + crd.error().message + kRunAnew);
  const auto change = check::CheckCrdUnchanged(run.crd.shape, *crd);
  if (!change) return {};
  return EndBackup(report::Outcome::kError, refused + *change + NextStepBehindChange(*crd));
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

BackedUp Complete(rewrite::BackupRun& backing_up, const PruningRun& run, bool is_in_one_pass) {
  BackedUp done;
  const rewrite::BackupSummary summary = backing_up.Complete();
  done.losing = backing_up.losing();
  if (summary.path.empty()) return done;
  KeepPruningCrd(run, summary.path, is_in_one_pass);
  done.path = std::filesystem::absolute(summary.path).string();
  run.session.observer.OnLine("backup: " + summary.path + " (" +
                              DescribeSize(summary.objects, summary.bytes) + ")");
  return done;
}

}  // namespace

std::string NextStepBehindChange(const kube::crd::Crd& crd) {
  if (crd.preserve_unknown_fields) return kRunAnew;
  return "; nobody can make a backup any more: the same command will rewrite objects without one";
}

BackedUp BackUp(const PruningRun& run, const std::string& crd_target,
                const std::filesystem::path& file, const check::RewriteForecast& forecast,
                bool is_in_one_pass) {
  rewrite::MigrationObserver& observer = run.session.observer;
  const rewrite::BackupRunOptions options{
      .target = run.crd.ObjectsTarget(""),
      .path = file,
      .known_writes = run.state.known_writes(),
      .generation = run.crd.shape.generation,
      .chunk_size = run.sweep_options.chunk_size,
      .on_progress = rewrite::ProgressOf("backing up " + run.name(), observer)};
  rewrite::BackupRun backing_up(options, forecast, run.session);
  switch (backing_up.Read()) {
    case rewrite::BackupRun::Step::kInterrupted:
      return EndBackup(report::Outcome::kInterrupted, kInterruptedBeforePruning);
    case rewrite::BackupRun::Step::kFailed:
      return EndBackup(report::Outcome::kError, "pruning was not turned on: " + backing_up.error());
    case rewrite::BackupRun::Step::kDone:
      break;
  }
  if (const std::string why = backing_up.unwatched_because(); !why.empty()) {
    observer.OnLine("Warning: " + run.name() + " cannot be watched (" + why +
                    "): objects written from now on until pruning is on are held");
  }
  backing_up.EndWatch();
  BackedUp looked = LookAtCrd(run, crd_target);
  return looked.outcome == report::Outcome::kDone ? Complete(backing_up, run, is_in_one_pass)
                                                  : looked;
}

}  // namespace migrate::migration
