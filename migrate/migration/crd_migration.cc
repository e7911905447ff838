#include "migrate/migration/crd_migration.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kube/crd/crd.h"
#include "migrate/check/live_crd.h"
#include "migrate/check/proof.h"
#include "migrate/check/recent_change.h"
#include "migrate/cluster/object_count.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/spool.h"
#include "migrate/cluster/stale_count.h"
#include "migrate/migration/after_pruning_on.h"
#include "migrate/migration/cluster_engine.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/migration/crd_preparation.h"
#include "migrate/migration/engine_choice.h"
#include "migrate/migration/hidden_fields.h"
#include "migrate/migration/migration_end.h"
#include "migrate/migration/persist_results.h"
#include "migrate/migration/rewrite_end.h"
#include "migrate/migration/run_crd.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/migration/stored_versions.h"
#include "migrate/rewrite/mutation_pass.h"
#include "migrate/rewrite/retried_objects.h"
#include "migrate/rewrite/rewrite_passes.h"
#include "migrate/rewrite/run_state.h"

namespace migrate::migration {
namespace {

namespace fs = std::filesystem;

/// One run over one CRD. A step that returns false has ended it, and said why in the report.
class CrdMigrator {
 public:
  CrdMigrator(const MigrationContext& context, const check::LiveCrd& found)
      : context_(context),
        options_(context.options),
        found_(found),
        crd_(context.crds_target + "/" + kube::client::UrlEscape(found.identity.name),
             context.session) {
    report_.name = found.identity.name;
    report_.dry_run = options_.dry_run;
    report_.begins_anew = IsPartial(options_) || is_dry_run();
  }

  report::CrdMigration Run() {
    const kube::base::Clock::TimePoint start = session().clock.Now();
    try {
      Migrate();
    } catch (const std::exception& error) {  // also those of the file system
      Fail(error.what() + AfterPruningOnAdvice());
      LeaveState();
    }
    lease_.reset();
    if (crd_.is_read()) RememberFailed(report_, options_, crd(), session().observer);
    report_.seconds = std::chrono::duration<double>(session().clock.Now() - start).count();
    return std::move(report_);
  }

 private:
  void Migrate() {
    if (!Prepare()) return;
    if (options_.dry_run == report::DryRun::kClient) return Foresee();
    OpenState();
    if (!is_dry_run() && !TakeLease()) return LeaveState();
    if (!is_dry_run() && !WaitUntilNoticed()) return;
    if (ComeAfterPruningOn()) {
      Rewrite();
      report_.kept_because = WhyKept();
      EndVersions();
    }
    RecordEmptied();
    CloseState();
  }

  void CloseState() {
    const rewrite::RunState::End end = EndOfRun(report_, is_complete_);
    if (crd_.has_changed() || end != rewrite::RunState::End::kInTheMiddle) RemoveFromCluster();
    if (state_) state_->Close(end);
  }

  bool Prepare() {
    if (!PrepareCrd(context_, found_, crd_, prepared_, report_)) return false;
    sweep_options_ = {.chunk_size = options_.chunk_size,
                      .most_in_one_piece = options_.most_in_one_piece,
                      .concurrency = options_.concurrency,
                      .max_rate = options_.max_rate,
                      .find_change = [this] { return CheckCrdUnchanged(); }};
    return true;
  }

  const rewrite::MigrationSession& session() const { return context_.session; }
  const kube::crd::Crd& crd() const { return crd_.live(); }
  const check::LiveCrd& live() const { return prepared_.live; }
  const Preflight& preflight() const { return prepared_.preflight; }
  rewrite::RewriteScope& scope() { return prepared_.scope; }
  bool is_dry_run() const { return options_.dry_run != report::DryRun::kNone; }
  bool turns_pruning_on() const { return TurnsPruningOn(options_, crd_); }

  void Line(const std::string& line) { session().observer.OnLine(line); }

  bool Fail(std::string why) {
    report_.outcome = report::Outcome::kError;
    report_.error = std::move(why);
    return false;
  }

  std::string AfterPruningOnAdvice() const {
    if (!report_.pruning_enabled) return "";
    return "\npruning is on; the same command, with the same --state-dir, goes on from here";
  }

  void LeaveState() {
    try {
      if (state_) state_->Close(rewrite::RunState::End::kInTheMiddle);
    } catch (const std::exception&) {  // what stays behind does no harm
    }
  }

  bool GoOn() {
    if (!session().is_stopped()) return true;
    report_.outcome = report::Outcome::kInterrupted;
    return false;
  }

  std::optional<std::string> CheckLease() { return lease_ ? lease_->CheckLease() : std::nullopt; }

  std::optional<std::string> CheckCrdUnchanged() {
    if (auto loss = CheckLease()) return loss;
    return crd_.CheckCrdUnchanged();
  }

  // --dry-run=client: the plan, and how many objects it is about.
  void Foresee() {
    if (turns_pruning_on()) {
      OpenState();
      if (!TurnPruningOn()) return;
    } else if (!AcceptHiddenLoss() || (options_.mutation && !ForeseeMutation({}))) {
      return;
    }
    const auto count = CountAll();
    if (!GoOn()) return;
    if (!count) {
      Fail(count.error().message);
      return;
    }
    report_.counts[report::ObjectClass::kNotTried] = count->objects;
    report_.AddCleaned(count->to_clean);
    if (mutation_pass_ && mutation_pass_->refused() > 0) {
      report_.outcome = report::Outcome::kFailures;
    }
    if (!ChooseEngine()) return;
    if (IsForCluster()) {
      Line(report_.name +
           ": the cluster's own engine would rewrite the objects, and this program "
           "would verify that");
    }
    report_.kept_because = WhyKept();
  }

  migration::EngineSituation EngineSituation() const {
    migration::EngineSituation situation = EngineSituationOf(options_);
    const bool is_pruning_on = report_.pruning_enabled || (state_ && state_->is_pruning_on());
    situation.turns_pruning_on = turns_pruning_on() || is_pruning_on;
    situation.holds_objects = sweep_options_.is_held != nullptr;
    situation.is_storage_version_served = report_.written_version.empty();
    situation.is_begun = state_ && state_->goes_on();
    situation.has_old_versions =
        report_.stored_before != std::vector<std::string>{report_.storage_version};
    situation.is_abandoned = context_.is_engine_absent;
    return situation;
  }

  // Nothing is told of it where the server has none.
  bool ChooseEngine() {
    if (preflight().engine_version.empty()) return true;
    engine_.emplace(EngineQuestion{.options = options_,
                                   .preflight = preflight(),
                                   .situation = EngineSituation(),
                                   .resource = MigratedOf(crd_, preflight().version),
                                   .crd_target = crd_.target(),
                                   .list_target = ListTarget(),
                                   .known = scope().target.known()},
                    session());
    report_.engine = engine_->Choose();
    if (!GoOn()) return false;
    if (IsForCluster() || options_.engine != report::Engine::kInCluster) return true;
    return Fail("the cluster's own engine cannot have its objects: " + report_.engine->reason +
                "; leave --engine=in-cluster out");
  }

  bool IsForCluster() const {
    return report_.engine && report_.engine->end == report::EngineEnd::kForeseen;
  }

  // Where the cluster's own engine does it, what is left for us is to verify that. False: the run
  // has ended.
  bool LetClusterRewrite() {
    if (!ChooseEngine()) return false;
    if (!IsForCluster()) {
      const bool is_whole_run = !IsPartial(options_) && !is_dry_run();
      if (preflight().has_own_migration && is_whole_run) engine_->RemoveLeft();
      return true;
    }
    state_->NoteEngine(engine_->name());
    report_.engine = engine_->Run([this] { return CheckCrdUnchanged(); });
    return TakeEngine();
  }

  // False: the run has ended.
  bool TakeEngine() {
    const report::EngineFacts& facts = *report_.engine;
    switch (facts.end) {
      case report::EngineEnd::kSucceeded:
        scope().claimed_by = "the cluster's own engine";
        return true;
      case report::EngineEnd::kInterrupted:
        report_.outcome = report::Outcome::kInterrupted;
        if (!facts.migration.empty()) {
          report_.error = "interrupted; the cluster goes on with " + facts.migration +
                          " by itself (kubectl delete " + facts.migration + " ends it)";
        }
        return false;
      case report::EngineEnd::kCrdChanged:
        return Fail(WithNextStep(facts.reason, report_.name));
      default:
        break;
    }
    if (facts.end == report::EngineEnd::kIgnored) context_.is_engine_absent = true;
    Line("Warning: " + report_.name + ": the cluster's own engine has not rewritten the objects: " +
         facts.reason + "; they are rewritten from here");
    return true;
  }

  // Also what was found to be false: it is of no more use.
  void RemoveFromCluster() {
    const bool has_succeeded =
        report_.engine && report_.engine->end == report::EngineEnd::kSucceeded;
    if (has_succeeded) engine_->Remove();
  }

  // Those of some objects alone are not read for it, so that nothing is known of their entries.
  // Where pruning is to be turned on the plan has counted what is to be cleaned.
  kube::base::Result<cluster::EntryCount, kube::client::CallError> CountAll() {
    if (options_.retried) {
      report_.managed_fields_cleaned.reset();
      return cluster::EntryCount{rewrite::RetriedOf(report_.name, *options_.retried).size()};
    }
    const cluster::ListReaderOptions options{.chunk_size = options_.chunk_size};
    const auto& cleaner = scope().target.cleaner;
    const bool is_foretold = report_.foretold_loss && options_.cleaning == cluster::Cleaning::kAuto;
    if (cleaner && !is_foretold) {
      return cluster::CountToClean(ListTarget(), *cleaner, options, session());
    }
    const auto count = cluster::CountObjects(ListTarget(), options, session());
    if (!count) return kube::base::Unexpected(count.error());
    cluster::EntryCount counted{*count};
    if (cleaner) counted.to_clean = report_.foretold_loss->managed_fields;
    return counted;
  }

  std::string ListTarget() const {
    return cluster::WithSelectors(live().ObjectsTarget(options_.namespace_),
                                  options_.label_selector, options_.field_selector);
  }

  // A dry run has its own folder: it must neither use nor spoil what a true run has left.
  void OpenState() {
    fs::path state_dir = options_.state_dir;
    if (is_dry_run()) {
      temporary_ = std::make_unique<cluster::TemporaryFolder>();
      state_dir = temporary_->path();
    }
    const auto now = options_.pruning.now();
    state_ = std::make_unique<rewrite::RunState>(
        state_dir, context_.cluster,
        rewrite::RunOfCrd{.crd_name = report_.name,
                          .shape = crd_.noted_shape(),
                          .stored_versions = crd().stored_versions,
                          .is_partial = IsPartial(options_),
                          .address = session().address,
                          .may_take_over = [this](const auto& from) { return MayTakeOver(from); }},
        now);
    scope().verify_from =
        std::min(scope().verify_from, session().clock.Now() + state_->TimeUntilNoticed(now));
    if (state_->goes_on()) Line(report_.name + ": going on where an earlier run has ended");
    report_.stored_before = state_->stored_before();
  }

  bool MayTakeOver(const std::string& earlier) {
    Line("Warning: " + report_.name +
         ": an earlier run has left its state, which knew the cluster as " + earlier +
         "; now it is " + session().address +
         ". A cluster that was made of a snapshot has the same uids, and what was done there was "
         "not "
         "done here");
    return session().observer.Confirm("Is it the same cluster, to go on where that run has ended?");
  }

  bool TakeLease() {
    if (options_.lease.leases == nullptr) return true;
    const std::vector<std::string> earlier = state_->earlier_identities();
    state_->NoteIdentity(IdentityOf(options_.lease.self));
    lease_.emplace(*options_.lease.leases,
                   RequestOf(options_.lease, report_.name, crd_.expected().uid, earlier),
                   options_.lease.wait, session(),
                   [this](const std::string& line) { Line(report_.name + ": " + line); });
    return TakeStart(lease_->Take());
  }

  bool TakeStart(const LeaseStart& start) {
    switch (start.step) {
      case LeaseStart::Step::kInterrupted:
        return GoOn();
      case LeaseStart::Step::kHeld:
        return Fail(start.message);
      case LeaseStart::Step::kUnknown:
        Line("Warning: " + report_.name + ": " + start.message);
        break;
      case LeaseStart::Step::kOurs:
        break;
    }
    return !start.has_waited || Reset();
  }

  // What was found out while another run was at work need not hold any more.
  bool Reset() {
    const std::string uid = crd_.expected().uid;
    LeaveState();
    state_.reset();
    if (!Prepare()) return false;
    if (crd_.expected().uid != uid) {
      return Fail(
          "the CustomResourceDefinition was deleted and made anew; run the same command "
          "again");
    }
    OpenState();
    state_->NoteIdentity(IdentityOf(options_.lease.self));
    return true;
  }

  bool WaitUntilNoticed() {
    const kube::base::Clock::TimePoint until =
        session().clock.Now() +
        check::TimeUntilNoticed(crd().document->root(), options_.pruning.now());
    return cluster::WaitUntil(until, session()) || GoOn();
  }

  // Pruning is turned on where that is asked for, or a run that did so is gone on from.
  bool ComeAfterPruningOn() {
    if (turns_pruning_on()) return TurnPruningOn() && (is_dry_run() || RecordPruningOn());
    if (!state_->is_pruning_on()) return AcceptHiddenLoss();
    const bool is_resumed = Take(ResumePruning(PruningRun(), options_.pruning));
    report_.managed_fields_emptied.merge(rewrite::FindEmptied(state_->folder_before_pruning()));
    if (!is_resumed) return false;
    state_->NoteRewriting(crd_.expected());
    return true;
  }

  bool TurnPruningOn() { return Take(migration::TurnPruningOn(PruningRun(), options_.pruning)); }

  migration::PruningRun PruningRun() {
    return {.crd = live(),
            .scope = scope(),
            .sweep_options = sweep_options_,
            .dry_run = options_.dry_run,
            .state = *state_,
            .session = session(),
            .patch = crd_.pruning_patch(),
            .schemas = crd_.upgraded_schemas(),
            .crd_file = report_.crd_file,
            .pruning_crd = &crd_.pruning(),
            .mutation = options_.mutation,
            .find_loss = [this] { return CheckLease(); }};
  }

  bool Take(PruningTurnedOn turned_on) {
    report_.pruning_enabled = turned_on.has_turned_on;
    report_.before_pruning = turned_on.before_pruning;
    report_.failures = std::move(turned_on.failures);
    report_.backup = std::move(turned_on.backup);
    report_.foretold_loss = std::move(turned_on.foretold_loss);
    report_.mutation = std::move(turned_on.mutation);
    is_mutated_ = options_.mutation && !is_dry_run() &&
                  state_->noted().mutation == options_.mutation->fingerprint();
    report_.AddCleaned(turned_on.cleaned);
    report_.managed_fields_emptied.merge(turned_on.emptied);
    sweep_options_.is_held = std::move(turned_on.is_held);
    if (!turned_on.held_because.empty()) sweep_options_.held_because = turned_on.held_because;
    report_.outcome = turned_on.outcome;
    report_.error = std::move(turned_on.error);
    return report_.outcome == report::Outcome::kDone;
  }

  bool AcceptHiddenLoss() {
    if (state_ && state_->goes_on()) return true;
    const std::string refusal = AskHiddenLoss(live(), ListTarget(), options_, session());
    return refusal.empty() ? GoOn() : Fail(refusal);
  }

  // The CRD has a new generation, and must be what it was in everything else.
  bool RecordPruningOn() {
    if (const auto error = crd_.ReadTurnedOn()) return Fail(*error);
    report_.stored_after = crd().stored_versions;
    scope().verify_from = session().clock.Now();
    ChooseCleaner(crd(), context_, prepared_, report_);
    state_->NoteRewriting(crd_.expected());
    return true;
  }

  void Rewrite() {
    if (options_.retried) {
      scope().named = rewrite::RetriedOf(report_.name, *options_.retried);
      if (!sweep_options_.is_held && !options_.pruning.rewrite_unbacked) {
        rewrite::HoldAsReported(report_.name, *options_.retried, sweep_options_);
      }
    }
    if (!PrepareMutation() || !LetClusterRewrite()) return;
    const std::uint64_t pruned_since = MayProve() ? FindResourceVersion() : 0;
    const fs::path folder = state_->MakeSweepFolder();
    rewrite::RewriteResult result =
        rewrite::RunRewritePasses(scope(), sweep_options_, folder, session());
    const std::string pass = result.verifying_pass;
    TakeRewrite(std::move(result));
    if (!MayProve() || !report_.verified) return;
    RememberProof({.crd = crd(),
                   .crd_target = crd_.target(),
                   .storage_version = report_.storage_version,
                   .pruned_since = pruned_since,
                   .seen = check::SeenBy(cluster::Spool(folder, pass))},
                  options_, session());
  }

  // Where pruning was turned on objects were mutated before: behind it they lack what it takes.
  bool PrepareMutation() {
    if (!options_.mutation) return true;
    if (is_mutated_) {
      if (!report_.mutation) {
        Line(report_.name +
             ": objects were mutated before pruning was turned on, by an earlier run");
      }
      return true;
    }
    if (!report_.mutation && !ForeseeMutation(is_dry_run() || options_.pruning.no_backup
                                                  ? fs::path()
                                                  : options_.pruning.backup_dir)) {
      return false;
    }
    if (mutation_pass_) mutation_pass_->Join(scope().target);
    if (!mutation_pass_)
      scope().target.mutation = options_.mutation;  // foretold with the write that turns pruning on
    return true;
  }

  bool ForeseeMutation(const fs::path& backup_dir) {
    rewrite::MutationPassOptions pass{
        .crd_name = report_.name,
        .list = ListTarget(),
        .are_named = options_.retried.has_value(),
        .backup_dir = backup_dir,
        .now = std::chrono::floor<std::chrono::seconds>(options_.pruning.now()),
        .chunk_size = options_.chunk_size};
    if (!crd().preserve_unknown_fields) {
      const std::string& version = preflight().version;
      pass.pruned_by = {live().checks.at(0)->server().FindSchema(version), version};
    }
    mutation_pass_.emplace(std::move(pass), options_.mutation, session());
    const auto error = mutation_pass_->Prepare();
    report_.mutation = mutation_pass_->facts();
    if (!GoOn()) return false;
    if (error) return Fail(*error);
    mutation_pass_->ReportChanges();
    mutation_pass_->ReportBackup();
    return true;
  }

  // What every server prunes is proven of all objects or of none.
  bool MayProve() const {
    return options_.verify && !crd().preserve_unknown_fields && !IsPartial(options_) &&
           !is_dry_run();
  }

  // Of the objects' list; 0 where it cannot be told.
  std::uint64_t FindResourceVersion() const {
    const auto list = session().client.Get(cluster::WithChunk(live().ObjectsTarget(""), 1, ""));
    if (!list) return 0;
    return cluster::NumberOf(cluster::ReadPageMetadata((*list)->root()).resource_version);
  }

  void TakeRewrite(rewrite::RewriteResult result) {
    if (mutation_pass_) report_.mutation = mutation_pass_->facts();
    is_complete_ = result.is_complete();
    unverified_because_ = result.unverified_because;
    const bool is_pruning_on = options_.enable_pruning && !crd().preserve_unknown_fields;
    CrdAfterRewrite after{.is_pruning_on = is_pruning_on};
    if (!result.is_interrupted) {
      after.loss = CheckLease();
      if (!after.loss) after.change = crd_.CheckCrdUnchanged();
    }
    EndRewrite(std::move(result), after, report_);
  }

  std::string WhyKept() const {
    return WhyVersionsKept(report_, options_, unverified_because_, preflight().kept_because);
  }

  // What nobody can bring back keeps nothing from being trimmed, but is no success.
  void RecordEmptied() {
    const bool is_done = report_.outcome == report::Outcome::kDone;
    if (is_done && !report_.managed_fields_emptied.empty()) {
      report_.outcome = report::Outcome::kFailures;
    }
  }

  // Whoever holds the Lease once it is lost decides about them.
  void EndVersions() {
    const auto loss = CheckLease();
    if (!loss) return EndStoredVersions(report_, {crd_.target(), crd_.expected()}, session());
    const bool is_trimmed =
        report_.stored_after == std::vector<std::string>{report_.storage_version};
    if (is_trimmed || !report_.kept_because.empty()) return;
    report_.kept_because = *loss;
    Fail(*loss + RunAnewAdvice(report_));
  }

  const MigrationContext& context_;
  const MigrationOptions& options_;
  const check::LiveCrd& found_;
  RunCrd crd_;
  report::CrdMigration report_;

  PreparedCrd prepared_;  // by the CRD's last read before pruning is turned on
  std::unique_ptr<cluster::TemporaryFolder> temporary_;
  std::unique_ptr<rewrite::RunState> state_;
  rewrite::SweepOptions sweep_options_;
  bool is_complete_ = false;  // every object was tried
  bool is_mutated_ =
      false;  // by the rewrite before pruning is turned on, of this run or an earlier one
  std::optional<rewrite::MutationPass> mutation_pass_;  // where objects are mutated by the sweep
  std::string unverified_because_;
  std::optional<EngineUse> engine_;  // where the server has one of its own
  std::optional<CrdLease> lease_;
};

}  // namespace

report::CrdMigration MigrateCrd(const MigrationContext& context, const check::LiveCrd& found) {
  return CrdMigrator(context, found).Run();
}

}  // namespace migrate::migration
