#include "migrate/enable_pruning.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/error.h"
#include "migrate/admission_webhooks.h"
#include "migrate/backup_run.h"
#include "migrate/cluster_crds.h"
#include "migrate/crd_request.h"
#include "migrate/flip.h"
#include "migrate/gitops_owner.h"
#include "migrate/known_writes.h"
#include "migrate/pruning_plan.h"
#include "migrate/rewrite_forecast.h"
#include "migrate/rewrite_passes.h"
#include "migrate/settle.h"

namespace migrate {
namespace {

namespace fs = std::filesystem;
using Phase = MigrationState::Phase;

constexpr char kBeforeFolder[] = "before";
constexpr char kQuestion[] = "Turn pruning on? apiextensions.k8s.io/v1 cannot turn it off again.";
constexpr char kRunAgain[] = "; the same command goes on from here";

std::string CrdTarget(kube::Client& client, const LiveCrd& live) {
  return FindCrdsTarget(client) + "/" + kube::UrlEscape(live.identity.name);
}

std::function<void(const ListProgress&)> ProgressOf(const std::string& what,
                                                    MigrationObserver& observer) {
  return [what, &observer](const ListProgress& progress) {
    observer.OnProgress(what,
                        {.listed = progress.items, .expected = progress.items_known, .counts = {}});
  };
}

EnabledPruning End(Outcome outcome, std::string error) {
  EnabledPruning ended;
  ended.outcome = outcome;
  ended.error = std::move(error);
  return ended;
}

/// What both ways to a server that prunes end with.
struct Ending {
  const LiveCrd& live;
  const EnablePruningOptions& options;
  const std::atomic<bool>* stop;
  MigrationObserver& observer;
  kube::Client& client;
  const kube::Clock& clock;

  bool holds() const { return !options.no_backup && !options.rewrite_unbacked; }

  /// `known` may be the null pointer where nothing is known.
  EnabledPruning Finish(const MigrationState& state, std::shared_ptr<const KnownWrites> known,
                        bool waits) const {
    EnabledPruning ended;
    if (waits) ended = Wait(state, known.get());
    ended.backup = state.backup;
    if (ended.outcome != Outcome::kDone || !holds()) return ended;
    // Neither a backup nor what it knows: the earlier run was one without.
    if (known == nullptr && state.backup.empty()) return ended;
    if (known == nullptr) known = std::make_shared<KnownWrites>();
    ended.is_held = HoldUnknown(std::move(known), state.flip_resource_version);
    return ended;
  }

 private:
  EnabledPruning Wait(const MigrationState& state, const KnownWrites* known) const {
    SettleOptions settle{.collection = live.ObjectsTarget(""),
                         .is_namespaced = live.is_namespaced,
                         .doomed = state.doomed,
                         .timeout = options.settle_timeout,
                         .stop = stop};
    if (known != nullptr) {
      settle.is_unchanged = [known](std::string_view uid, std::string_view resource_version) {
        return known->Contains(uid, resource_version);
      };
    }
    const Settled settled = WaitUntilPruning(settle, client, clock);
    switch (settled.step) {
      case Settled::Step::kDone:
        if (!settled.message.empty()) observer.OnLine(settled.message);
        return {};
      case Settled::Step::kInterrupted:
        return End(Outcome::kInterrupted, "interrupted; pruning is on" + std::string(kRunAgain));
      case Settled::Step::kTimedOut:
        break;
    }
    return End(Outcome::kError,
               "pruning is on, but not every API server prunes yet (" + settled.message +
                   "); nothing was rewritten; run the same command again, with a longer "
                   "--settle-timeout if need be");
  }
};

/// One run of EnablePruning.
class PruningEnabler {
 public:
  PruningEnabler(const LiveCrd& live, const EnablePruningOptions& options,
                 const SweepTarget& target, const SweepOptions& sweep_options, StateFolder& folder,
                 MigrationObserver& observer, kube::Client& client, const kube::Clock& clock)
      : live_(live),
        options_(options),
        target_(target),
        sweep_options_(sweep_options),
        folder_(folder),
        observer_(observer),
        client_(client),
        clock_(clock),
        stop_(options.stop != nullptr ? options.stop : sweep_options.stop),
        static_report_(live.checks.at(0)->Report({}, /*objects_skipped=*/true)),
        forecast_(*live.checks.at(0), live.read_version, is_in_one_pass()) {}

  EnabledPruning Run() {
    if (!ReadCrd() || !Plan()) return std::move(ended_);
    if (options_.dry_run != DryRun::kNone) return DryFlip();
    if (!observer_.Confirm(kQuestion)) {
      return End(Outcome::kError, "pruning was not turned on, as that was not confirmed");
    }
    if (rewrites_before() && !RewriteBefore()) return std::move(ended_);
    if (!BackUp() || !FlipCrd()) return std::move(ended_);
    return WaitAndFinish();
  }

 private:
  const std::string& name() const { return live_.identity.name; }
  bool is_stopped() const { return stop_ != nullptr && *stop_; }
  bool rewrites_before() const { return static_report_.migration_needed && !options_.single_pass; }
  bool is_in_one_pass() const { return static_report_.migration_needed && options_.single_pass; }

  // For `return Fail(...)`: what was already found stays.
  bool Fail(Outcome outcome, std::string error) {
    ended_.outcome = outcome;
    ended_.error = std::move(error);
    return false;
  }
  bool Interrupt() {
    return Fail(Outcome::kInterrupted, "interrupted before pruning was turned on");
  }

  bool ReadCrd() {
    crd_target_ = CrdTarget(client_, live_);
    auto crd = GetCrd(client_, crd_target_);
    if (!crd) return Fail(Outcome::kError, crd.error().message);
    flip_target_ = {crd_target_, live_.uid, crd->generation};
    gitops_owner_ = FindGitOpsOwner(crd->document->root());
    return true;
  }

  bool Plan() {
    const PruningDryRun dry_run =
        DryRunPruning(live_, forecast_,
                      {.chunk_size = sweep_options_.chunk_size,
                       .stop = stop_,
                       .on_progress = ProgressOf("reading " + name(), observer_)},
                      client_, clock_);
    if (is_stopped()) return Interrupt();
    if (!dry_run.error.empty()) return Fail(Outcome::kError, dry_run.error);
    if (!options_.no_backup) {
      backup_path_ = BackupPath(options_.backup_dir, name(),
                                std::chrono::floor<std::chrono::seconds>(options_.now()));
    }
    doomed_ = dry_run.doomed;
    const UpdateWebhooks webhooks = FindWebhooks();
    const PruningPlan plan{.dry_run = dry_run,
                           .webhooks = webhooks,
                           .gitops_owner = gitops_owner_,
                           .rewrites_before = rewrites_before(),
                           .in_one_pass = is_in_one_pass(),
                           .max_rate = sweep_options_.max_rate,
                           .backup = backup_path_.string()};
    for (const std::string& line : DescribePlan(plan)) observer_.OnLine(line);
    return true;
  }

  UpdateWebhooks FindWebhooks() {
    return FindUpdateWebhooks({.group = live_.identity.group,
                               .plural = live_.identity.names.plural,
                               .served_versions = static_report_.served_versions,
                               .written_version = target_.version,
                               .is_namespaced = live_.is_namespaced},
                              client_);
  }

  EnabledPruning DryFlip() {
    if (options_.dry_run == DryRun::kClient) return {};
    const Flip flip = TurnPruningOn(flip_target_, /*dry_run=*/true, stop_, client_, clock_);
    if (flip.step == Flip::Step::kDone) return {};
    if (flip.step == Flip::Step::kInterrupted) return End(Outcome::kInterrupted, flip.error);
    return End(Outcome::kError, "the server would not turn pruning on: " + flip.error);
  }

  bool RewriteBefore() {
    const fs::path folder = folder_.path() / kBeforeFolder;
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
    const RewriteScope scope{.crd_name = name() + " (before pruning)", .target = target_};
    RewriteResult result =
        RunRewritePasses(scope, sweep_options_, folder, observer_, client_, clock_);
    ended_.before_flip = result.sweep.counts;
    ended_.failures = std::move(result.sweep.failures);
    std::move(result.later_failures.begin(), result.later_failures.end(),
              std::back_inserter(ended_.failures));
    return JudgeBefore(result);
  }

  bool JudgeBefore(const RewriteResult& result) {
    if (result.is_interrupted) return Interrupt();
    if (result.list_error) return Fail(Outcome::kError, result.list_error->message + kRunAgain);
    if (result.verified && ended_.failures.empty()) return true;
    // The next run has to try what failed anew.
    std::error_code ignored;
    fs::remove_all(folder_.path() / kBeforeFolder, ignored);
    std::string why = "not every object could be rewritten";
    if (result.stopped) {
      why = *result.stopped;
    } else if (ended_.failures.empty()) {
      why = result.unverified_because;
    }
    return Fail(Outcome::kFailures,
                "pruning was not turned on, and nothing was pruned: " + why +
                    "; in an object that is stored in an older version more would be lost "
                    "(--single-pass takes that)");
  }

  // Without a backup nothing can be missing from it.
  bool BackUp() {
    MigrationState state = folder_.Load();
    state.phase = Phase::kBackupComplete;
    state.crd_uid = live_.uid;
    state.generation = flip_target_.generation;
    state.backup.clear();
    state.flip_resource_version.clear();
    state.doomed = doomed_;
    ForgetKnownWrites(folder_.path());
    if (!options_.no_backup && !WriteBackup(state)) return false;
    if (is_stopped()) return Interrupt();
    folder_.Save(state);
    state_ = std::move(state);
    return true;
  }

  bool WriteBackup(MigrationState& state) {
    const BackupRunOptions options{.target = live_.ObjectsTarget(""),
                                   .path = backup_path_,
                                   .state_folder = folder_.path(),
                                   .generation = flip_target_.generation,
                                   .chunk_size = sweep_options_.chunk_size,
                                   .stop = stop_,
                                   .on_progress = ProgressOf("backing up " + name(), observer_)};
    BackupRun run(options, forecast_, client_, clock_);
    switch (run.Read()) {
      case BackupRun::Step::kInterrupted:
        return Interrupt();
      case BackupRun::Step::kFailed:
        return Fail(Outcome::kError, "pruning was not turned on: " + run.error());
      case BackupRun::Step::kDone:
        break;
    }
    if (const std::string why = run.unwatched_because(); !why.empty()) {
      observer_.OnLine("warning: " + name() + " cannot be watched (" + why +
                       "): objects written from now on until pruning is on are held");
    }
    const BackupSummary summary = run.Complete();
    state.backup = summary.path;
    state.doomed = run.doomed();
    ended_.backup = summary.path;
    return true;
  }

  bool FlipCrd() {
    const Flip flip = TurnPruningOn(flip_target_, /*dry_run=*/false, stop_, client_, clock_);
    switch (flip.step) {
      case Flip::Step::kDone:
        state_.generation = flip.generation;
        state_.flip_resource_version = flip.resource_version;
        folder_.Save(state_);
        return true;
      case Flip::Step::kInterrupted:
        return Interrupt();
      case Flip::Step::kUnknown:
        return Fail(Outcome::kError,
                    "it is not known whether pruning was turned on: " + flip.error + kRunAgain);
      case Flip::Step::kRefused:
        break;
    }
    return Fail(Outcome::kError, "pruning was not turned on: " + flip.error);
  }

  EnabledPruning WaitAndFinish() {
    std::shared_ptr<const KnownWrites> known;
    if (!options_.no_backup) {
      auto read = KnownWrites::Read(folder_.path());
      if (read) known = std::make_shared<KnownWrites>(*std::move(read));
    }
    EnabledPruning finished =
        Ending{live_, options_, stop_, observer_, client_, clock_}.Finish(state_, known, true);
    finished.before_flip = ended_.before_flip;
    return finished;
  }

  const LiveCrd& live_;
  const EnablePruningOptions& options_;
  const SweepTarget& target_;
  const SweepOptions& sweep_options_;
  StateFolder& folder_;
  MigrationObserver& observer_;
  kube::Client& client_;
  const kube::Clock& clock_;
  const std::atomic<bool>* stop_;
  const CrdReport static_report_;  // without objects
  const RewriteForecast forecast_;

  std::string crd_target_, gitops_owner_;
  FlipTarget flip_target_;
  fs::path backup_path_;
  std::vector<DoomedObject> doomed_;
  MigrationState state_;
  EnabledPruning ended_;
};

// Where the answer to the flip was lost with the run that asked for it.
std::string FindFlipVersion(const LiveCrd& live, const KnownWrites& known, kube::Client& client) {
  const auto crd = GetCrd(client, CrdTarget(client, live));
  if (!crd || crd->uid != live.uid || crd->generation != known.generation() + 1) return "";
  return crd->resource_version;
}

}  // namespace

EnabledPruning EnablePruning(const LiveCrd& crd, const EnablePruningOptions& options,
                             const SweepTarget& target, const SweepOptions& sweep_options,
                             StateFolder& folder, MigrationObserver& observer, kube::Client& client,
                             const kube::Clock& clock) {
  return PruningEnabler(crd, options, target, sweep_options, folder, observer, client, clock).Run();
}

EnabledPruning ResumePruning(const LiveCrd& crd, const EnablePruningOptions& options,
                             StateFolder& folder, MigrationObserver& observer, kube::Client& client,
                             const kube::Clock& clock) {
  MigrationState state = folder.Load();
  std::shared_ptr<const KnownWrites> known;
  if (auto read = KnownWrites::Read(folder.path())) {
    known = std::make_shared<KnownWrites>(*std::move(read));
  }
  if (state.flip_resource_version.empty() && known != nullptr) {
    state.flip_resource_version = FindFlipVersion(crd, *known, client);
    folder.Save(state);
  }
  return Ending{crd, options, options.stop, observer, client, clock}.Finish(
      state, known, state.phase == Phase::kBackupComplete);
}

}  // namespace migrate
