#include "migrate/flip/enable_pruning.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/error.h"
#include "migrate/backup/backup_run.h"
#include "migrate/backup/known_writes.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/crds/cluster_crds.h"
#include "migrate/crds/crd_request.h"
#include "migrate/crds/recent_change.h"
#include "migrate/flip/admission_webhooks.h"
#include "migrate/flip/behind_flip.h"
#include "migrate/flip/flip.h"
#include "migrate/flip/gitops_owner.h"
#include "migrate/flip/pruning_plan.h"
#include "migrate/lists/pager.h"
#include "migrate/spool/object_metadata.h"
#include "migrate/sweep/rewrite_passes.h"
#include "migrate/sweep/write/retry.h"
#include "migrate/sweep/write/sweep_paths.h"

namespace migrate::flip {
namespace {

namespace fs = std::filesystem;
using Phase = state::MigrationState::Phase;

constexpr char kRunAnew[] = "; run the same command again";

std::string CrdTarget(kube::client::Client& client, const crds::LiveCrd& live) {
  return crds::FindCrdsTarget(client) + "/" + kube::client::UrlEscape(live.identity.name);
}

/// One run of EnablePruning.
class PruningEnabler {
 public:
  PruningEnabler(const crds::LiveCrd& live, const EnablePruningOptions& options,
                 const sweep::write::SweepTarget& target, const sweep::SweepOptions& sweep_options,
                 state::StateFolder& folder, sweep::MigrationObserver& observer,
                 kube::client::Client& client, const kube::system::Clock& clock)
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
    if (options_.dry_run == report::DryRun::kNone) observer_.RequireAnswer();
    if (!ReadCrd() || !Plan()) return std::move(ended_);
    if (options_.dry_run != report::DryRun::kNone) return DryFlip();
    if (!observer_.Confirm("Turn pruning on for " + name() +
                           "? apiextensions.k8s.io/v1 cannot turn it off again.")) {
      return EnabledPruning::End(report::Outcome::kError,
                                 "pruning was not turned on, as that was not confirmed");
    }
    // Long may have passed: with a plan of many objects, and a person who thinks it over.
    if (!ReadCrd() || !CanWrite()) return std::move(ended_);
    if (rewrites_before() && !RewriteBefore()) return std::move(ended_);
    if (!BackUp() || !FlipCrd()) return std::move(ended_);
    try {
      return WaitAndFinish();
    } catch (const std::exception& error) {  // a full disk, credentials that nobody renews
      Fail(report::Outcome::kError, BrokenBehindFlip(error.what()));
      return std::move(ended_);
    }
  }

 private:
  const std::string& name() const { return live_.identity.name; }
  bool is_stopped() const { return stop_ != nullptr && *stop_; }
  bool rewrites_before() const { return static_report_.migration_needed && !options_.single_pass; }
  bool is_in_one_pass() const { return static_report_.migration_needed && options_.single_pass; }

  // For `return Fail(...)`: what was already found stays.
  bool Fail(report::Outcome outcome, std::string error) {
    ended_.outcome = outcome;
    ended_.error = std::move(error);
    return false;
  }
  bool Interrupt() {
    return Fail(report::Outcome::kInterrupted, "interrupted before pruning was turned on");
  }

  bool ReadCrd() {
    crd_target_ = CrdTarget(client_, live_);
    auto crd = crds::GetCrd(client_, crd_target_);
    if (!crd) return Fail(report::Outcome::kError, crd.error().message);
    if (const auto change = crds::FindChange(live_.shape, *crd)) {
      return Fail(report::Outcome::kError, *change + NextStep(*crd));
    }
    flip_target_ = {crd_target_, live_.shape};
    gitops_owner_ = FindGitOpsOwner(crd->document->root());
    return true;
  }

  static std::string NextStep(const kube::crd::Crd& crd) {
    if (crd.preserve_unknown_fields) return kRunAnew;
    return "; nobody can make a backup any more: the same command will rewrite objects without one";
  }

  bool Plan() {
    const PruningDryRun dry_run =
        DryRunPruning(live_, forecast_,
                      {.chunk_size = sweep_options_.chunk_size,
                       .stop = stop_,
                       .on_progress = sweep::ProgressOf("reading " + name(), observer_)},
                      client_, clock_);
    if (is_stopped()) return Interrupt();
    if (!dry_run.error.empty()) return Fail(report::Outcome::kError, dry_run.error);
    if (!options_.no_backup) {
      backup_path_ = backup::BackupPath(options_.backup_dir, name(),
                                        std::chrono::floor<std::chrono::seconds>(options_.now()));
    }
    if (const std::string why = backup::WhyNotWritable(backup_path_); !why.empty()) {
      return Fail(report::Outcome::kError,
                  "cannot write the backup " + why + "; name another folder by --backup-dir");
    }
    doomed_ = dry_run.doomed;
    const UpdateWebhooks webhooks = FindWebhooks();
    const PruningPlan plan{.dry_run = dry_run,
                           .webhooks = webhooks,
                           .gitops_owner = gitops_owner_,
                           .rewrites_before = rewrites_before(),
                           .in_one_pass = is_in_one_pass(),
                           .verifies = options_.verifies,
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
    if (options_.dry_run == report::DryRun::kClient) return {};
    const Flip flip = TurnPruningOn(flip_target_, /*dry_run=*/true, stop_, client_, clock_);
    if (flip.step == Flip::Step::kDone) return {};
    if (flip.step == Flip::Step::kInterrupted)
      return EnabledPruning::End(report::Outcome::kInterrupted, flip.error);
    return EnabledPruning::End(report::Outcome::kError,
                               "the server would not turn pruning on: " + flip.error);
  }

  // An admission webhook that does not answer would keep every object from being rewritten, behind
  // a switch that cannot be turned back. What one object is refused for says nothing of the others.
  bool CanWrite() {
    // Who may not patch is not asked to: an update would have to be read first.
    if (target_.by_update) return true;
    const auto object = AnyObject();
    if (!object) return !is_stopped() || Interrupt();
    kube::client::ApiRequest request;
    request.method = "PATCH";
    request.target = sweep::write::ObjectPath(target_, *object) + "?dryRun=All";
    request.content_type = "application/merge-patch+json";
    request.body = "{}";
    const auto answer = client_.Send(std::move(request));
    if (is_stopped()) return Interrupt();
    if (answer || sweep::write::Judge(answer.error()).object_class !=
                      report::ObjectClass::kWebhookUnavailable) {
      return true;
    }
    return Fail(report::Outcome::kError,
                "pruning was not turned on, as no object could be rewritten now: " +
                    answer.error().message + kRunAnew);
  }

  // One that loses something if there is any; absent where there is none, or it cannot be read.
  std::optional<spool::ListedObject> AnyObject() {
    spool::ListedObject object;
    if (!doomed_.empty()) {
      object.namespace_ = doomed_[0].namespace_;
      object.name = doomed_[0].name;
      return object;
    }
    const auto list = client_.Get(lists::WithChunk(live_.ObjectsTarget(""), 1, ""));
    if (!list) return std::nullopt;
    const kube::json::Value* items = (*list)->root().Find("items", kube::json::Type::kArray);
    if (items == nullptr || items->size() == 0) return std::nullopt;
    return spool::ReadObjectMetadata(items->elements()[0]);
  }

  bool RewriteBefore() {
    const fs::path folder = folder_.path() / state::kSweepsBeforeFlip;
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
    const sweep::RewriteScope scope{.crd_name = name() + " (before pruning)",
                                    .target = target_,
                                    .verified_words = "rewritten before the switch",
                                    .verify_from = options_.verify_from};
    sweep::RewriteResult result =
        sweep::RunRewritePasses(scope, sweep_options_, folder, observer_, client_, clock_);
    ended_.before_flip = result.sweep.counts;
    ended_.failures = std::move(result.sweep.failures);
    std::move(result.later_failures.begin(), result.later_failures.end(),
              std::back_inserter(ended_.failures));
    return JudgeBefore(result);
  }

  bool JudgeBefore(const sweep::RewriteResult& result) {
    if (result.is_interrupted) return Interrupt();
    // Of a change of the CRD it looks like a failure of objects.
    if (result.stopped && !ReadCrd()) return false;
    if (result.list_error)
      return Fail(report::Outcome::kError, result.list_error->message + kRunAgain);
    if (result.is_broken) return Fail(report::Outcome::kError, *result.stopped + kRunAgain);
    if (result.verified && ended_.failures.empty()) return true;
    // The next run has to try what failed anew.
    std::error_code ignored;
    fs::remove_all(folder_.path() / state::kSweepsBeforeFlip, ignored);
    std::string why = "not every object could be rewritten";
    if (result.stopped) {
      why = *result.stopped;
    } else if (ended_.failures.empty()) {
      why = result.unverified_because;
    }
    return Fail(report::Outcome::kFailures,
                "pruning was not turned on, and nothing was pruned: " + why +
                    "; in an object that is stored in an older version more would be lost "
                    "(--single-pass takes that)");
  }

  // Without a backup nothing can be missing from it.
  bool BackUp() {
    state::MigrationState state = folder_.Load();
    state.phase = Phase::kBackupComplete;
    state.crd_uid = live_.shape.uid;
    state.generation = live_.shape.generation;
    state.schemas = live_.shape.schemas;
    state.backup.clear();
    state.flip_resource_version.clear();
    state.settled_resource_version.clear();
    state.doomed = doomed_;
    // An earlier backup counts until there is a new one: pruning may be turned on meanwhile.
    if (options_.no_backup) {
      backup::ForgetKnownWrites(folder_.path());
    } else if (!WriteBackup(state)) {
      return false;
    }
    if (is_stopped()) return Interrupt();
    folder_.Save(state);
    state_ = std::move(state);
    return true;
  }

  bool WriteBackup(state::MigrationState& state) {
    const backup::BackupRunOptions options{
        .target = live_.ObjectsTarget(""),
        .path = backup_path_,
        .state_folder = folder_.path(),
        .generation = live_.shape.generation,
        .chunk_size = sweep_options_.chunk_size,
        .stop = stop_,
        .on_progress = sweep::ProgressOf("backing up " + name(), observer_)};
    backup::BackupRun run(options, forecast_, client_, clock_);
    switch (run.Read()) {
      case backup::BackupRun::Step::kInterrupted:
        return Interrupt();
      case backup::BackupRun::Step::kFailed:
        return Fail(report::Outcome::kError, "pruning was not turned on: " + run.error());
      case backup::BackupRun::Step::kDone:
        break;
    }
    if (const std::string why = run.unwatched_because(); !why.empty()) {
      observer_.OnLine("Warning: " + name() + " cannot be watched (" + why +
                       "): objects written from now on until pruning is on are held");
    }
    run.EndWatch();
    if (!IsUnchanged()) return false;
    const backup::BackupSummary summary = run.Complete();
    // A later run, perhaps from another folder, names it too.
    if (!summary.path.empty()) state.backup = fs::absolute(summary.path).string();
    state.doomed = run.doomed();
    ended_.backup = state.backup;
    if (!summary.path.empty()) {
      observer_.OnLine("backup: " + summary.path + " (" +
                       DescribeSize(summary.objects, summary.bytes) + ")");
    }
    return true;
  }

  // Behind the last read of an object: once somebody else turns pruning on, objects are read
  // without the fields that the backup is made for.
  bool IsUnchanged() {
    const auto crd = crds::GetCrd(client_, crd_target_);
    if (is_stopped()) return Interrupt();
    const std::string refused = "pruning was not turned on, and the backup is thrown away: ";
    if (!crd) return Fail(report::Outcome::kError, refused + crd.error().message + kRunAnew);
    const auto change = crds::FindChange(live_.shape, *crd);
    return !change || Fail(report::Outcome::kError, refused + *change + NextStep(*crd));
  }

  bool FlipCrd() {
    const Flip flip = TurnPruningOn(flip_target_, /*dry_run=*/false, stop_, client_, clock_);
    switch (flip.step) {
      case Flip::Step::kDone:
        ended_.flipped = true;
        state_.generation = flip.generation;
        state_.generation_seen = crds::Milliseconds(options_.now());
        state_.flip_resource_version = flip.resource_version;
        return true;
      case Flip::Step::kInterrupted:
        return Interrupt();
      case Flip::Step::kUnknown: {
        const std::string unknown = "it is not known whether pruning was turned on: " + flip.error;
        return is_stopped() ? Fail(report::Outcome::kInterrupted, unknown)
                            : Fail(report::Outcome::kError, unknown + kRunAgain);
      }
      case Flip::Step::kRefused:
        break;
    }
    return Fail(report::Outcome::kError, "pruning was not turned on: " + flip.error);
  }

  EnabledPruning WaitAndFinish() {
    folder_.Save(state_);
    std::shared_ptr<const backup::KnownWrites> known;
    if (!options_.no_backup) {
      auto read = backup::KnownWrites::Read(folder_.path());
      if (read) known = std::make_shared<backup::KnownWrites>(*std::move(read));
    }
    EnabledPruning finished =
        BehindFlip{live_, options_, stop_, folder_, observer_, client_, clock_}.Finish(state_,
                                                                                       known, true);
    finished.before_flip = ended_.before_flip;
    finished.flipped = ended_.flipped;
    return finished;
  }

  const crds::LiveCrd& live_;
  const EnablePruningOptions& options_;
  const sweep::write::SweepTarget& target_;
  const sweep::SweepOptions& sweep_options_;
  state::StateFolder& folder_;
  sweep::MigrationObserver& observer_;
  kube::client::Client& client_;
  const kube::system::Clock& clock_;
  const std::atomic<bool>* stop_;
  const report::CrdReport static_report_;  // without objects
  const check::RewriteForecast forecast_;

  std::string crd_target_, gitops_owner_;
  FlipTarget flip_target_;
  fs::path backup_path_;
  std::vector<state::DoomedObject> doomed_;
  state::MigrationState state_;
  EnabledPruning ended_;
};

}  // namespace

EnabledPruning EnabledPruning::End(report::Outcome outcome, std::string error) {
  EnabledPruning ended;
  ended.outcome = outcome;
  ended.error = std::move(error);
  return ended;
}

EnabledPruning EnablePruning(const crds::LiveCrd& crd, const EnablePruningOptions& options,
                             const sweep::write::SweepTarget& target,
                             const sweep::SweepOptions& sweep_options, state::StateFolder& folder,
                             sweep::MigrationObserver& observer, kube::client::Client& client,
                             const kube::system::Clock& clock) {
  return PruningEnabler(crd, options, target, sweep_options, folder, observer, client, clock).Run();
}

}  // namespace migrate::flip
