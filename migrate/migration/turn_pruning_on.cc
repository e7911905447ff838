#include "migrate/migration/turn_pruning_on.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "kube/base/result.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/migration/admission_webhooks.h"
#include "migrate/migration/after_pruning_on.h"
#include "migrate/migration/backup_before_pruning.h"
#include "migrate/migration/pruning_plan.h"
#include "migrate/migration/pruning_write.h"
#include "migrate/rewrite/backup.h"
#include "migrate/rewrite/known_writes.h"
#include "migrate/rewrite/mutation_pass.h"
#include "migrate/rewrite/retry.h"

namespace migrate::migration {
namespace {

using kube::json::Value;

struct Sign {
  std::string_view tool;
  std::string_view where;  // "labels", "annotations", or "" for a field manager
  std::string_view name;
};

// The surest first.
constexpr std::array kSigns = {
    Sign{"Argo CD", "annotations", "argocd.argoproj.io/tracking-id"},
    Sign{"Argo CD", "labels", "argocd.argoproj.io/instance"},
    Sign{"Argo CD", "annotations", "argocd.argoproj.io/instance"},
    Sign{"Flux", "labels", "kustomize.toolkit.fluxcd.io/name"},
    Sign{"Flux", "labels", "helm.toolkit.fluxcd.io/name"},
    Sign{"Helm", "annotations", "meta.helm.sh/release-name"},
    Sign{"Argo CD", "", "argocd-controller"},
    Sign{"Argo CD", "", "argocd-application-controller"},
    Sign{"Flux", "", "kustomize-controller"},
    Sign{"Flux", "", "helm-controller"},
    Sign{"Helm", "", "helm"},
};

bool HasKey(const Value& metadata, std::string_view where, std::string_view name) {
  const Value* map = metadata.Find(where);
  return map != nullptr && map->Find(name) != nullptr;
}

bool HasManager(const Value& metadata, std::string_view manager) {
  const Value* entries = metadata.Find("managedFields");
  if (entries == nullptr) return false;
  for (const Value& entry : entries->elements()) {
    if (entry.FindText("manager") == manager) return true;
  }
  return false;
}

// Argo CD's tracking by app.kubernetes.io/instance: others set that label too, so its annotations
// (sync options and the like) have to be there as well.
bool HasArgoInstance(const Value& metadata) {
  if (!HasKey(metadata, "labels", "app.kubernetes.io/instance")) return false;
  const Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr) return false;
  for (const kube::json::Member& annotation : annotations->members()) {
    if (annotation.key.text().starts_with("argocd.argoproj.io/")) return true;
  }
  return false;
}

std::string Describe(const Sign& sign) {
  const std::string_view kind = sign.where == "labels"        ? "label"
                                : sign.where == "annotations" ? "annotation"
                                                              : "field manager";
  return std::string(sign.tool) + " (" + std::string(kind) + " " + std::string(sign.name) + ")";
}

}  // namespace

std::string FindGitOpsOwner(const Value& object) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return "";
  if (HasArgoInstance(*metadata)) return "Argo CD (label app.kubernetes.io/instance)";
  for (const Sign& sign : kSigns) {
    const bool is_there = sign.where.empty() ? HasManager(*metadata, sign.name)
                                             : HasKey(*metadata, sign.where, sign.name);
    if (is_there) return Describe(sign);
  }
  return "";
}

namespace {

namespace fs = std::filesystem;

/// One run of TurnPruningOn. A step that returns false has ended the run, and said why in `ended_`.
class PruningTurner {
 public:
  PruningTurner(const PruningRun& run, const PruningOptions& options)
      : run_(run),
        options_(options),
        facts_(run.crd.checks.at(0)->facts().report),
        forecast_(*run.crd.checks.at(0), run.crd.read_version, is_in_one_pass()) {}

  PruningTurnedOn Run() {
    if (run_.dry_run == report::DryRun::kNone) observer().RequireAnswer();
    if (!ReadCrd() || !ReportPlan()) return std::move(ended_);
    if (run_.dry_run != report::DryRun::kNone) return DryRunOnly();
    if (!observer().Confirm("Turn pruning on for " + run_.name() +
                            "? apiextensions.k8s.io/v1 cannot turn it off again.")) {
      return PruningTurnedOn::End(report::Outcome::kError,
                                  "pruning was not turned on, as that was not confirmed");
    }
    if (foretold_loss_) foretold_loss_->is_agreed = true;
    // Long may have passed: with a plan of many objects, and a person who thinks it over.
    if (!ReadCrd() || !TryOneWrite()) return std::move(ended_);
    if (run_.mutation && !BackUpMutated()) return std::move(ended_);
    if (rewrites_before() && !RewriteBefore()) return std::move(ended_);
    if (!MakeBackup() || !TurnCrdOn()) return std::move(ended_);
    return FinishAfterPruningOn();
  }

  std::optional<report::ForetoldLoss> TakeForetoldLoss() { return std::move(foretold_loss_); }
  const std::optional<report::MutationFacts>& mutation_facts() const { return mutation_facts_; }

 private:
  rewrite::MigrationObserver& observer() const { return run_.session.observer; }
  kube::client::Client& client() const { return run_.session.client; }
  bool is_stopped() const { return run_.session.is_stopped(); }
  std::optional<std::string> CheckLease() const {
    return run_.find_loss ? run_.find_loss() : std::nullopt;
  }
  static std::string NotTurnedOn(const std::string& why) {
    return "pruning was not turned on: " + why;
  }
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

  bool ReadCrd() {
    pruning_target_ = {check::FindCrdsTarget(client()) + "/" + kube::client::UrlEscape(run_.name()),
                       run_.crd.shape, run_.patch, run_.schemas};
    auto crd = check::GetCrd(client(), pruning_target_.target);
    if (!crd) return Fail(crd.error().message);
    if (const auto change = check::CheckCrdUnchanged(run_.crd.shape, *crd)) {
      return Fail(*change + NextStepBehindChange(*crd));
    }
    gitops_owner_ = FindGitOpsOwner(crd->document->root());
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
                     .max_rate = run_.sweep_options.max_rate,
                     .concurrency = run_.sweep_options.concurrency,
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
  WriteCost MeasureCost(const PruningPlan& plan) const {
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

  PruningTurnedOn DryRunOnly() {
    if (run_.dry_run == report::DryRun::kClient) return {};
    const PruningWrite written = RequestPruning(pruning_target_, /*dry_run=*/true, run_.session);
    if (written.step == PruningWrite::Step::kDone)
      return TryOneWrite() ? PruningTurnedOn() : std::move(ended_);
    if (written.step == PruningWrite::Step::kInterrupted)
      return PruningTurnedOn::End(report::Outcome::kInterrupted, written.error);
    return PruningTurnedOn::End(report::Outcome::kError,
                                "the server would not turn pruning on: " + written.error);
  }

  // An admission webhook that does not answer would keep every object from being rewritten, when
  // pruning cannot be turned off any more. What one object is refused for says nothing of the
  // others.
  bool TryOneWrite() {
    // Who may not patch is not asked to: an update would have to be read first.
    if (run_.scope.target.by_update) return true;
    const auto object = ReadAnyObject();
    if (!object) return !is_stopped() || Interrupt();
    const auto answer = client().Send(DryRunWrite(run_.scope.target, *object));
    if (is_stopped()) return Interrupt();
    if (answer || rewrite::ClassifyAnswer(answer.error()).object_class !=
                      report::ObjectClass::kWebhookUnavailable) {
      return true;
    }
    const bool is_dry_run = run_.dry_run != report::DryRun::kNone;
    return Fail("pruning " + std::string(is_dry_run ? "would not be" : "was not") +
                " turned on, as no object could be rewritten now: " + answer.error().message +
                kRunAnew);
  }

  // One that loses something if there is any; absent where there is none, or it cannot be read.
  std::optional<cluster::ListedObject> ReadAnyObject() const {
    cluster::ListedObject object;
    if (!losing_.empty()) {
      object.namespace_ = losing_[0].namespace_;
      object.name = losing_[0].name;
      return object;
    }
    const auto list = client().Get(cluster::WithChunk(run_.crd.ObjectsTarget(""), 1, ""));
    if (!list) return std::nullopt;
    const kube::json::Value* items = (*list)->root().Find("items", kube::json::Type::kArray);
    if (items == nullptr || items->size() == 0) return std::nullopt;
    return cluster::ReadObjectMetadata(items->elements()[0]);
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

  fs::path NewBackupPath() const {
    if (options_.no_backup) return {};
    return rewrite::BackupPath(options_.backup_dir, run_.name(),
                               std::chrono::floor<std::chrono::seconds>(options_.now()));
  }

  // A disk may be full, of which nothing is known to whoever reads that.
  BackedUp BackUpOrSay() {
    try {
      return BackUp(run_, pruning_target_.target, backup_path_, forecast_, is_in_one_pass());
    } catch (const kube::base::Error& error) {
      BackedUp broken;
      broken.outcome = report::Outcome::kError;
      broken.error = NotTurnedOn(error.what());
      return broken;
    }
  }

  // An earlier backup counts until there is a new one: pruning may be turned on meanwhile. Without
  // a backup nothing can be missing from it.
  bool MakeBackup() {
    BackedUp made;
    if (options_.no_backup) {
      rewrite::ForgetKnownWrites(run_.state.known_writes());
      made.losing = losing_;
    } else {
      made = BackUpOrSay();
    }
    if (made.outcome != report::Outcome::kDone) return Fail(made.outcome, made.error);
    ended_.backup = made.path;
    if (is_stopped()) return Interrupt();
    run_.state.NoteBackup(made.path, std::move(made.losing),
                          run_.mutation ? run_.mutation->fingerprint() : "");
    return true;
  }

  bool TurnCrdOn() {
    const auto loss = CheckLease();
    if (is_stopped()) return Interrupt();
    if (loss) return Fail(NotTurnedOn(*loss) + kRunAnew);
    pruning_write_ = RequestPruning(pruning_target_, /*dry_run=*/false, run_.session);
    ended_.has_turned_on = pruning_write_.step == PruningWrite::Step::kDone;
    switch (pruning_write_.step) {
      case PruningWrite::Step::kDone:
        return true;
      case PruningWrite::Step::kInterrupted:
        return Interrupt();
      case PruningWrite::Step::kUnknown: {
        const std::string unknown =
            "it is not known whether pruning was turned on: " + pruning_write_.error;
        return is_stopped() ? Fail(report::Outcome::kInterrupted, unknown)
                            : Fail(unknown + kGoesOn);
      }
      case PruningWrite::Step::kRefused:
        break;
    }
    return Fail(NotTurnedOn(pruning_write_.error));
  }

  PruningTurnedOn FinishAfterPruningOn() {
    try {
      run_.state.NotePruningOn(pruning_write_.resource_version, pruning_write_.generation,
                               options_.now());
      PruningTurnedOn finished = WaitAfterPruningOn(run_, options_);
      finished.before_pruning = ended_.before_pruning;
      finished.cleaned = ended_.cleaned;
      finished.emptied = ended_.emptied;
      finished.has_turned_on = ended_.has_turned_on;
      return finished;
    } catch (const std::exception& error) {  // a full disk, credentials that nobody renews
      Fail(BrokenAfterPruningOn(error.what()));
      return std::move(ended_);
    }
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
  PruningWrite pruning_write_;
  PruningTurnedOn ended_;
};

}  // namespace

PruningTurnedOn PruningTurnedOn::End(report::Outcome outcome, std::string error) {
  PruningTurnedOn ended;
  ended.outcome = outcome;
  ended.error = std::move(error);
  return ended;
}

PruningTurnedOn TurnPruningOn(const PruningRun& run, const PruningOptions& options) {
  PruningTurner turner(run, options);
  PruningTurnedOn ended = turner.Run();
  ended.foretold_loss = turner.TakeForetoldLoss();
  ended.mutation = turner.mutation_facts();
  return ended;
}

}  // namespace migrate::migration
