#include "migrate/migration/crd_migration.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kube/base/error.h"
#include "kube/crd/crd.h"
#include "migrate/check/crd_check.h"
#include "migrate/crds/crd_guard.h"
#include "migrate/crds/crd_request.h"
#include "migrate/crds/live_crd.h"
#include "migrate/crds/missing_version.h"
#include "migrate/crds/recent_change.h"
#include "migrate/disk/temporary_folder.h"
#include "migrate/flip/behind_flip.h"
#include "migrate/flip/hidden_fields.h"
#include "migrate/lists/object_count.h"
#include "migrate/lists/pager.h"
#include "migrate/lists/pause.h"
#include "migrate/migration/preflight.h"
#include "migrate/migration/stored_versions.h"
#include "migrate/state/run_state.h"
#include "migrate/sweep/retried_objects.h"
#include "migrate/sweep/rewrite_passes.h"

namespace migrate::migration {
namespace {

namespace fs = std::filesystem;

/// One run over one CRD.
class CrdMigrator {
 public:
  CrdMigrator(const MigrationContext& context, const crds::LiveCrd& found)
      : context_(context),
        options_(context.options),
        found_(found),
        target_(context.crds_target + "/" + kube::client::UrlEscape(found.identity.name)) {
    report_.name = found.identity.name;
    report_.dry_run = options_.dry_run;
    report_.begins_anew = is_partial() || is_dry_run();
  }

  report::CrdMigration Run() {
    const kube::system::Clock::TimePoint start = context_.clock.Now();
    try {
      Migrate();
    } catch (const std::exception& error) {  // also those of the file system
      Fail(error.what() + BehindFlipAdvice());
    }
    report_.seconds = std::chrono::duration<double>(context_.clock.Now() - start).count();
    return std::move(report_);
  }

 private:
  void Migrate() {
    if (!ReadCrd() || !IsPossible() || IsStopped()) return;
    if (options_.dry_run == report::DryRun::kClient) return Foresee();
    OpenState();
    if (!is_dry_run() && !WaitUntilNoticed()) return;
    if (TurnPruningOn()) {
      Rewrite();
      Trim();
    }
    state_->Close(EndOfRun());
  }

  void Fail(std::string why) {
    report_.outcome = report::Outcome::kError;
    report_.error = std::move(why);
  }

  std::string BehindFlipAdvice() const {
    if (!report_.pruning_enabled) return "";
    return "\npruning is on; the same command, with the same --state-dir, goes on from here";
  }

  bool IsStopped() {
    if (options_.stop == nullptr || !*options_.stop) return false;
    report_.outcome = report::Outcome::kInterrupted;
    return true;
  }

  // False: to be stopped.
  bool WaitUntilNoticed() {
    const kube::system::Clock::TimePoint until =
        context_.clock.Now() +
        crds::TimeUntilNoticed(crd_->document->root(), options_.enabling.now());
    return lists::PauseUntil(until, options_.stop, context_.client, context_.clock) || !IsStopped();
  }

  bool is_partial() const {
    return options_.retried || !options_.namespace_.empty() || !options_.label_selector.empty() ||
           !options_.field_selector.empty();
  }
  bool is_dry_run() const { return options_.dry_run != report::DryRun::kNone; }
  bool enables_pruning() const { return options_.enable_pruning && crd_->preserve_unknown_fields; }

  void Line(const std::string& line) { context_.observer.OnLine(line); }

  bool ReadCrd() {
    auto crd = crds::GetCrd(context_.client, target_);
    if (!crd) {
      Fail(crd.error().message);
      return false;
    }
    crd_ = *std::move(crd);
    const crds::CrdShape shape = crds::ShapeOf(*crd_);
    Expect(shape);
    // Since when every server may be taken to know the CRD as it is.
    const bool is_as_found = shape.generation == found_.shape.generation;
    noticed_ = (is_as_found ? context_.found_at : context_.clock.Now()) + crds::kNoticed;
    live_ = CheckedCrd();
    report_.storage_version = shape.storage_version;
    report_.stored_before = report_.stored_after = crd_->stored_versions;
    return true;
  }

  void Expect(crds::CrdShape shape) {
    guard_.emplace(target_, std::move(shape), options_.stop, context_.client, context_.clock);
  }

  crds::LiveCrd CheckedCrd() const {
    auto copy = kube::crd::ReadCopiedCrd(crd_->document->root());
    if (!copy) throw kube::base::Error(copy.error());
    crds::LiveCrd live = crds::DescribeLiveCrd(*copy);
    const check::CrdCheckOptions options{.origin = check::CrdCheckOptions::Origin::kServer};
    live.checks.push_back(std::make_unique<check::CrdCheck>(*std::move(copy), "", options));
    return live;
  }

  bool IsPossible() {
    const bool trims = !is_partial() && !is_dry_run() && !options_.keep_stored_versions;
    preflight_ = CheckBefore(*crd_, target_,
                             {.enable_pruning = options_.enable_pruning,
                              .dry_run = options_.dry_run,
                              .namespace_ = options_.namespace_,
                              .by_name = options_.retried.has_value(),
                              .backs_up = !options_.enabling.no_backup,
                              .trims = trims},
                             context_.client);
    for (const std::string& warning : preflight_.warnings) {
      Line("Warning: " + report_.name + ": " + warning);
    }
    if (!preflight_.refusal.empty()) {
      Fail(preflight_.refusal);
      return false;
    }
    if (preflight_.version != report_.storage_version) {
      report_.written_version = preflight_.version;
      Line(report_.name + ": the storage version " + report_.storage_version +
           " is not served; objects are written as " + preflight_.version +
           ", which the server stores as " + report_.storage_version);
    }
    return true;
  }

  sweep::write::SweepTarget Target() const {
    return {.group = crd_->group,
            .version = preflight_.version,
            .plural = crd_->names.plural,
            .is_namespaced = live_.is_namespaced,
            .namespace_ = options_.namespace_,
            .label_selector = options_.label_selector,
            .field_selector = options_.field_selector,
            .dry_run = options_.dry_run == report::DryRun::kServer,
            .by_update = preflight_.by_update};
  }

  sweep::SweepOptions OptionsOfSweep() {
    return {.chunk_size = options_.chunk_size,
            .most_in_one_piece = options_.most_in_one_piece,
            .concurrency = options_.concurrency,
            .max_rate = options_.max_rate,
            .stop = options_.stop,
            .find_change = [this] { return FindChangeNow(); }};
  }

  std::optional<std::string> FindChangeNow() {
    if (!change_) change_ = guard_->FindChange();
    return change_;
  }

  // --dry-run=client: the plan, and how many objects it is about.
  void Foresee() {
    if (enables_pruning()) {
      const disk::TemporaryFolder folder;
      state::StateFolder state(folder.path(), context_.cluster, crd_->uid, report_.name);
      if (!Take(flip::EnablePruning(live_, EnablingOptions(), Target(), OptionsOfSweep(), state,
                                    context_.observer, context_.client, context_.clock))) {
        return;
      }
    } else if (options_.enable_pruning && !MayLoseHiddenFields()) {
      return;
    }
    const auto count = CountAll();
    if (IsStopped()) return;
    if (!count) return Fail(count.error().message);
    report_.counts[report::ObjectClass::kNotTried] = *count;
    report_.kept_because = WhyKept();
  }

  kube::base::Result<std::uint64_t, kube::client::CallError> CountAll() const {
    if (options_.retried)
      return std::uint64_t{sweep::RetriedOf(report_.name, *options_.retried).size()};
    return lists::CountObjects(
        lists::WithSelectors(live_.ObjectsTarget(options_.namespace_), options_.label_selector,
                             options_.field_selector),
        {.chunk_size = options_.chunk_size, .stop = options_.stop}, context_.client,
        context_.clock);
  }

  flip::EnablePruningOptions EnablingOptions() const {
    flip::EnablePruningOptions enabling = options_.enabling;
    enabling.dry_run = options_.dry_run;
    enabling.stop = options_.stop;
    enabling.verifies = options_.verify;
    enabling.verify_from = noticed_;
    return enabling;
  }

  // A dry run has its own folder: it must neither use nor spoil what a true run has left.
  void OpenState() {
    fs::path state_dir = options_.state_dir;
    if (is_dry_run()) {
      temporary_ = std::make_unique<disk::TemporaryFolder>();
      state_dir = temporary_->path();
    }
    state_ =
        std::make_unique<state::RunState>(state_dir, context_.cluster,
                                          state::RunOfCrd{.crd_name = report_.name,
                                                          .shape = guard_->expected(),
                                                          .stored_versions = crd_->stored_versions,
                                                          .is_partial = is_partial()},
                                          options_.enabling.now());
    noticed_ = std::min(noticed_,
                        context_.clock.Now() + state_->TimeUntilNoticed(options_.enabling.now()));
    if (state_->goes_on()) Line(report_.name + ": going on where an earlier run has ended");
    report_.stored_before = state_->stored_before();
  }

  /// False if the migration ends here, and the report says why.
  bool Take(flip::EnabledPruning enabled) {
    report_.pruning_enabled = enabled.flipped;
    report_.before_flip = enabled.before_flip;
    report_.failures = std::move(enabled.failures);
    report_.backup = std::move(enabled.backup);
    is_held_ = std::move(enabled.is_held);
    held_because_ = std::move(enabled.held_because);
    report_.outcome = enabled.outcome;
    report_.error = std::move(enabled.error);
    return report_.outcome == report::Outcome::kDone;
  }

  bool TurnPruningOn() {
    if (enables_pruning()) {
      if (!Take(flip::EnablePruning(live_, EnablingOptions(), Target(), OptionsOfSweep(),
                                    state_->folder(), context_.observer, context_.client,
                                    context_.clock))) {
        return false;
      }
      return is_dry_run() || TakeFlip();
    }
    if (!state_->is_behind_flip()) return !options_.enable_pruning || MayLoseHiddenFields();
    if (!Take(flip::ResumePruning(live_, EnablingOptions(), state_->folder(), context_.observer,
                                  context_.client, context_.clock))) {
      return false;
    }
    state_->BeginRewriting(guard_->expected());
    return true;
  }

  // Whoever asks for pruning thinks that it is off, and that a backup will be made.
  bool MayLoseHiddenFields() {
    if (state_ && state_->goes_on()) return true;
    const auto hidden = flip::DescribeHiddenFields(
        live_,
        {.chunk_size = options_.chunk_size,
         .stop = options_.stop,
         .on_progress = sweep::ProgressOf("reading " + report_.name, context_.observer)},
        context_.client, context_.clock);
    if (IsStopped()) return false;
    if (!hidden) {
      Fail(hidden.error());
      return false;
    }
    if (hidden->empty()) return true;
    Line("Warning: " + *hidden);
    if (is_dry_run() || context_.observer.Confirm("Rewrite the objects of " + report_.name +
                                                  " without a backup?")) {
      return true;
    }
    Fail("nothing was rewritten, as that was not confirmed");
    return false;
  }

  // The CRD has a new generation, and must be what it was in everything else.
  bool TakeFlip() {
    crds::CrdShape expected = guard_->expected();
    ++expected.generation;
    expected.preserves_unknown_fields = false;
    auto crd = crds::GetCrd(context_.client, target_);
    if (!crd) {
      Fail(crd.error().message + "\npruning is on; rewrite the objects by the same command");
      return false;
    }
    if (const auto change = crds::FindChange(expected, *crd)) {
      Fail(WithNextStep(*change));
      return false;
    }
    crd_ = *std::move(crd);
    Expect(expected);
    noticed_ = context_.clock.Now();
    state_->BeginRewriting(expected);
    return true;
  }

  std::string WithNextStep(const std::string& change) const {
    return change + "; look at it (kubectl get crd " + report_.name +
           " -o yaml), then run the same command again";
  }

  void Rewrite() {
    const fs::path folder = state_->MakeSweepFolder();
    sweep::RewriteScope scope{.crd_name = report_.name, .target = Target()};
    scope.verify = options_.verify && !is_dry_run();
    scope.verify_from = noticed_;
    if (options_.retried) scope.named = sweep::RetriedOf(report_.name, *options_.retried);
    sweep::SweepOptions options = OptionsOfSweep();
    options.is_held = is_held_;
    if (!held_because_.empty()) options.held_because = held_because_;
    if (options_.retried && !is_held_ && !options_.enabling.rewrite_unbacked) {
      sweep::HoldAsReported(report_.name, *options_.retried, options);
    }
    Take(sweep::RunRewritePasses(scope, options, folder, context_.observer, context_.client,
                                 context_.clock));
  }

  void Take(sweep::RewriteResult result) {
    report_.counts = result.sweep.counts;
    report_.generations_moved = result.sweep.generations_moved;
    for (std::vector<report::ObjectFailure>* failures :
         {&result.sweep.failures, &result.later_failures}) {
      std::move(failures->begin(), failures->end(), std::back_inserter(report_.failures));
    }
    report_.verified = result.verified && report_.counts.Failures() == 0;
    is_complete_ = result.is_complete();
    Judge(result);
  }

  void Judge(const sweep::RewriteResult& result) {
    if (result.is_interrupted) {
      report_.outcome = report::Outcome::kInterrupted;
      const bool prunes = options_.enable_pruning && !crd_->preserve_unknown_fields;
      if (prunes) report_.error = flip::kInterruptedBehindFlip;
    } else if (const auto change = FindChangeNow()) {
      Fail(WithNextStep(*change));
    } else if (result.is_broken) {
      Fail(*result.stopped + RunAgain());
    } else if (result.stopped) {
      report_.outcome = report::Outcome::kFailures;
      report_.error = *result.stopped + Unlisted(result);
    } else if (result.list_error) {
      Fail(crds::WithVersionAdvice(result.list_error->message) + RunAgain());
    } else if (report_.counts.Failures() > 0 || !result.unverified_because.empty()) {
      report_.outcome = report::Outcome::kFailures;
    }
    unverified_because_ = result.unverified_because;
  }

  std::string RunAgain() const {
    return std::string("\nrun the same command again: it ") +
           (report_.begins_anew ? "begins anew" : "goes on where it was");
  }

  // What was not tried is listed to its end, if that is possible.
  static std::string Unlisted(const sweep::RewriteResult& result) {
    if (!result.list_error) return "";
    return "\nsome objects are not even counted: " + result.list_error->message;
  }

  // The first reason counts: it is the one to mend.
  std::string WhyKept() const {
    if (crd_->stored_versions == std::vector<std::string>{report_.storage_version}) return "";
    if (is_dry_run()) return "nothing is written in a dry run";
    if (options_.retried) return "only the objects of --retry-from were rewritten";
    if (is_partial()) return "only the objects of -n, -l or --field-selector were rewritten";
    if (options_.keep_stored_versions) return "--keep-stored-versions";
    if (report_.outcome == report::Outcome::kInterrupted) return "the migration was interrupted";
    if (report_.outcome == report::Outcome::kError) return "the migration could not go on";
    if (report_.counts[report::ObjectClass::kHeld] > 0) return "some objects are held";
    if (report_.counts.Failures() > 0) return "some objects were not rewritten";
    if (!unverified_because_.empty()) return unverified_because_;
    if (!report_.verified) return "it was not verified that all objects are rewritten";
    if (report_.outcome != report::Outcome::kDone) return "the migration is not complete";
    return preflight_.kept_because;
  }

  void Trim() {
    report_.kept_because = WhyKept();
    const bool is_trimmed =
        crd_->stored_versions == std::vector<std::string>{report_.storage_version};
    if (!report_.kept_because.empty() || is_trimmed) return;
    TrimmedVersions trimmed = TrimStoredVersions(target_, guard_->expected(), context_.client);
    if (!trimmed.after.empty()) report_.stored_after = std::move(trimmed.after);
    report_.kept_because = std::move(trimmed.kept_because);
    if (report_.kept_because.empty()) return;
    if (trimmed.is_changed) return Fail(WithNextStep(report_.kept_because));
    report_.outcome = report::Outcome::kFailures;
    report_.error = "status.storedVersions could not be trimmed: " + report_.kept_because +
                    "\nall objects are migrated; mend that, then run the same command again, or "
                    "leave it by --keep-stored-versions";
  }

  // After a run that ended by itself the next one begins anew, but for what is held.
  state::RunState::End EndOfRun() const {
    if (report_.outcome == report::Outcome::kInterrupted ||
        report_.outcome == report::Outcome::kError) {
      return state::RunState::End::kInTheMiddle;
    }
    const std::uint64_t held = report_.counts[report::ObjectClass::kHeld];
    if (!is_complete_ || report_.counts.Failures() > held) return state::RunState::End::kFailures;
    return held > 0 ? state::RunState::End::kHolding : state::RunState::End::kDone;
  }

  const MigrationContext& context_;
  const MigrationOptions& options_;
  const crds::LiveCrd& found_;
  const std::string target_;
  report::CrdMigration report_;

  std::optional<kube::crd::Crd> crd_;
  crds::LiveCrd live_;                   // of the same read
  std::optional<crds::CrdGuard> guard_;  // of the CRD as it is to stay from now on
  kube::system::Clock::TimePoint noticed_{};
  Preflight preflight_;
  std::unique_ptr<disk::TemporaryFolder> temporary_;
  std::unique_ptr<state::RunState> state_;
  std::function<bool(const spool::ListedObject&)> is_held_;
  std::string held_because_;
  std::optional<std::string> change_;  // of the CRD, that ended the run
  bool is_complete_ = false;
  std::string unverified_because_;
};

}  // namespace

report::CrdMigration MigrateCrd(const MigrationContext& context, const crds::LiveCrd& found) {
  return CrdMigrator(context, found).Run();
}

}  // namespace migrate::migration
