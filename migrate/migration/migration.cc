#include "migrate/migration/migration.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/scheduler.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/cluster/proposals.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/migration/steps.h"
#include "migrate/report/program_name.h"
#include "migrate/rewrite/migration_state.h"
#include "migrate/rewrite/retried_objects.h"

namespace migrate::migration {
namespace {

// The longest usual wait is five seconds, in which so many small CRDs are begun.
constexpr std::size_t kMostTogether = 32;

/// Tells of which CRD a line is, where those of several mingle.
class NamedObserver : public rewrite::MigrationObserver {
 public:
  NamedObserver(rewrite::MigrationObserver& observer, const std::string& name)
      : observer_(observer), name_(name) {}

  void OnLine(const std::string& line) override {
    std::string_view rest = line;
    constexpr std::string_view kWarning = "Warning: ";
    const bool is_warning = rest.starts_with(kWarning);
    if (is_warning) rest.remove_prefix(kWarning.size());
    if (rest.starts_with(name_)) return observer_.OnLine(line);
    observer_.OnLine(
        std::string(is_warning ? kWarning : "").append(name_).append(": ").append(rest));
  }
  void OnProgress(const std::string& what, const rewrite::SweepProgress& progress) override {
    observer_.OnProgress(what, progress);
  }
  void RequireAnswer() override { observer_.RequireAnswer(); }
  bool MayAsk() const override { return observer_.MayAsk(); }
  bool Confirm(const std::string& question) override { return observer_.Confirm(question); }

 private:
  rewrite::MigrationObserver& observer_;
  const std::string& name_;
};

report::CrdMigration Ended(const MigrationContext& context, const check::LiveCrd& crd,
                           report::Outcome outcome, const std::string& error = "") {
  report::CrdMigration ended;
  ended.name = crd.identity.name;
  ended.dry_run = context.options.dry_run;
  ended.outcome = outcome;
  ended.error = error;
  return ended;
}

/// Whatever is thrown, others must not wait for ever.
struct WorkEnd {
  kube::client::Scheduler& scheduler;
  std::size_t priority;

  WorkEnd(kube::client::Scheduler& shared, std::size_t own_rank)
      : scheduler(shared), priority(own_rank) {}
  WorkEnd(const WorkEnd&) = delete;
  WorkEnd& operator=(const WorkEnd&) = delete;
  ~WorkEnd() { scheduler.EndWork(priority); }
};

class CrdSequence {
 public:
  CrdSequence(const MigrationContext& context, const std::vector<const check::LiveCrd*>& crds)
      : context_(context), crds_(crds) {}

  std::vector<report::CrdMigration> RunInOrder() {
    while (const auto number = TakeNext()) {
      ReportBegin(*number);
      migrated_[*number] = MigrateCrd(context_, *crds_[*number]);
    }
    return TakeMigrated();
  }

  std::vector<report::CrdMigration> RunTogether() {
    kube::client::Scheduler scheduler(session().client, session().clock);
    const auto work = [&](std::size_t) {
      const kube::client::Scheduler::Participant part(scheduler);
      while (const auto number = TakeNext()) MigrateBetween(scheduler, *number);
    };
    cluster::RunWorkers(std::min(crds_.size(), kMostTogether), work, [] {});
    return TakeMigrated();
  }

 private:
  const rewrite::MigrationSession& session() const { return context_.session; }

  std::optional<std::size_t> TakeNext() {
    if (next_ == crds_.size() || session().is_stopped()) return std::nullopt;
    return next_++;
  }

  void ReportBegin(std::size_t number) {
    if (crds_.size() == 1) return;
    session().observer.OnLine("migrating " + crds_[number]->identity.name + " (" +
                              std::to_string(number + 1) + " of " + std::to_string(crds_.size()) +
                              ")");
  }

  void MigrateBetween(kube::client::Scheduler& scheduler, std::size_t number) {
    const check::LiveCrd& crd = *crds_[number];
    NamedObserver observer(session().observer, crd.identity.name);
    rewrite::MigrationSession own{session(), observer};
    own.scheduler = &scheduler;
    own.priority = number;
    const MigrationContext context{
        context_.options,  context_.crds_target, context_.cluster,         own,
        context_.found_at, context_.proposals,   context_.is_engine_absent};
    try {
      scheduler.BeginWork(number);
    } catch (const std::exception& error) {
      migrated_[number] = Ended(context, crd, report::Outcome::kError, error.what());
      return;
    }
    const WorkEnd work_end{scheduler, number};
    if (session().is_stopped()) return;
    ReportBegin(number);
    migrated_[number] = MigrateCrd(context, crd);
  }

  // Of those that were not begun the first one stands for all, if nothing else tells of the stop.
  std::vector<report::CrdMigration> TakeMigrated() {
    std::vector<report::CrdMigration> taken;
    const auto is_interrupted = [](const std::optional<report::CrdMigration>& one) {
      return one && one->outcome == report::Outcome::kInterrupted;
    };
    bool is_told = std::ranges::any_of(migrated_, is_interrupted);
    for (std::size_t i = 0; i < crds_.size(); ++i) {
      if (migrated_[i]) {
        taken.push_back(*std::move(migrated_[i]));
      } else if (!is_told) {
        taken.push_back(Ended(context_, *crds_[i], report::Outcome::kInterrupted));
        is_told = true;
      }
    }
    return taken;
  }

  const MigrationContext& context_;
  const std::vector<const check::LiveCrd*>& crds_;
  std::size_t next_ = 0;
  std::vector<std::optional<report::CrdMigration>> migrated_{crds_.size()};
};

class Migration {
 public:
  Migration(const MigrationOptions& options, const rewrite::MigrationSession& session)
      : options_(options), session_(session) {}

  report::MigrationReport Run() {
    const kube::base::Clock::TimePoint start = session_.clock.Now();
    ReadProposals();
    ReadCrds();
    TakeUnread();
    MigrateAll();
    report_.seconds = std::chrono::duration<double>(session_.clock.Now() - start).count();
    return std::move(report_);
  }

 private:
  // All or nothing: what cannot be read may be what was meant.
  void ReadProposals() {
    proposals_ = cluster::ReadProposals(options_.filenames, options_.recursive);
    if (!proposals_.errors.empty()) throw kube::base::Error(proposals_.errors.front());
    if (options_.filenames.empty()) return;
    for (const std::string& hint : proposals_.hints) {
      session_.observer.OnLine("Warning: " + hint);
    }
    if (proposals_.AreNone()) throw kube::base::Error(std::string(cluster::kNoCrdsFound));
    std::set<std::string> names;
    for (const cluster::Proposal& proposal : proposals_.crds) {
      if (!names.insert(proposal.crd.name).second) {
        throw kube::base::Error(proposal.crd.name +
                                " is in the files of -f more than once; name the one that counts");
      }
    }
    if (options_.crd_names.empty()) options_.crd_names.assign(names.begin(), names.end());
  }

  void ReadCrds() {
    const cluster::ProgressFunction no_progress;
    cluster::ClusterReader reader(session_, {.workers = cluster::WorkerCount()}, no_progress);
    crds_ =
        check::ReadClusterCrds({.names = Names(), .selector = options_.crd_selector}, {}, reader);
    found_at_ = session_.clock.Now();
  }

  std::vector<std::string> Names() const {
    if (options_.retry_failed || !options_.retried) return options_.crd_names;
    std::set<std::string> names;
    for (const rewrite::RetriedObject& object : *options_.retried) names.insert(object.crd);
    return {names.begin(), names.end()};
  }

  void TakeUnread() {
    for (const report::CrdReport& unread : crds_.unread) AddError(unread.name, unread.error);
  }

  void AddError(const std::string& name, const std::string& error) {
    report::CrdMigration& failed = report_.crds.emplace_back();
    failed.name = name;
    failed.dry_run = options_.dry_run;
    failed.outcome = report::Outcome::kError;
    failed.error = error;
  }

  void MigrateAll() {
    if (options_.retry_failed) options_.retried.emplace();
    std::vector<const check::LiveCrd*> wanted;
    for (const auto& [name, live] : crds_.crds) {
      if (TakeOrTell(live)) wanted.push_back(&live);
    }
    ReportLeftOut();
    if (!wanted.empty()) MigrateEach(wanted);
  }

  void MigrateEach(const std::vector<const check::LiveCrd*>& wanted) {
    const auto cluster = FindCluster();
    if (!cluster) return AddInterrupted(wanted[0]->identity.name);
    const MigrationContext context{options_,  crds_.target,    *cluster,         session_,
                                   found_at_, proposals_.crds, is_engine_absent_};
    report_.crds.reserve(report_.crds.size() + wanted.size());
    CrdSequence sequence(context, wanted);
    std::ranges::move(WaitsTogether(wanted.size()) ? sequence.RunTogether() : sequence.RunInOrder(),
                      std::back_inserter(report_.crds));
  }

  // While a person thinks a question over nothing else is to go on behind it.
  bool WaitsTogether(std::size_t count) const {
    const bool may_ask = options_.enable_pruning && session_.observer.MayAsk();
    return count > 1 && options_.dry_run == report::DryRun::kNone && !may_ask;
  }

  void ReportLeftOut() {
    ReportLeftOut(report::LeftOutReason::kPreserves,
                  "unknown fields are preserved there, which --enable-pruning may end");
    ReportLeftOut(report::LeftOutReason::kBlocked,
                  "what is wrong with the schema keeps pruning from being turned on");
  }

  // There may be hundreds: the first one stands for the others, which the report names.
  void ReportLeftOut(report::LeftOutReason reason, const std::string& why) {
    const auto first = std::ranges::find(report_.left_out, reason, &report::LeftOutCrd::reason);
    if (first == report_.left_out.end()) return;
    const auto all = std::ranges::count(report_.left_out, reason, &report::LeftOutCrd::reason);
    const std::string check =
        report::OwnClusterCommand(all == 1 ? "check " + first->name : "check");
    session_.observer.OnLine("note: " + first->name +
                             (all == 1 ? " is" : " and " + std::to_string(all - 1) + " more are") +
                             " left out: " + why + " (" + check +
                             (all == 1 ? ")" : "; -o json names all)"));
  }

  // Absent: to be stopped. That it cannot be read for the moment must not look like another
  // cluster, of which nothing is known.
  std::optional<std::string> FindCluster() {
    auto uid = rewrite::FindClusterUid(session_.client);
    if (session_.is_stopped()) return std::nullopt;
    if (uid) return *std::move(uid);
    throw kube::base::Error(
        "cannot read the namespace kube-system, by which clusters are told apart: " +
        uid.error().message);
  }

  void AddInterrupted(const std::string& name) {
    report::CrdMigration& interrupted = report_.crds.emplace_back();
    interrupted.name = name;
    interrupted.dry_run = options_.dry_run;
    interrupted.outcome = report::Outcome::kInterrupted;
  }

  // --all: those that have something to migrate, or that a run has not ended with. What was named
  // is migrated whatever it is. The preflight refuses those of them that cannot be: --all must not
  // look done while versions are stored that are to go.
  bool TakeOrTell(const check::LiveCrd& live) {
    if (options_.retry_failed) return TakeFailed(live);
    if (!options_.all) return true;
    const report::CrdReport& report = live.checks.front()->facts().report;
    if (report.migration_needed) return true;
    if (!live.shape.preserves_unknown_fields) {
      return rewrite::StateFolder::IsLeft(options_.state_dir, live.shape.uid);
    }
    const bool is_blocked = report.verdict == report::Verdict::kBlocked;
    if (options_.enable_pruning && !is_blocked) return true;
    report_.left_out.push_back({live.identity.name, options_.enable_pruning
                                                        ? report::LeftOutReason::kBlocked
                                                        : report::LeftOutReason::kPreserves});
    return false;
  }

  bool TakeFailed(const check::LiveCrd& live) {
    const std::string& name = live.identity.name;
    if (live.shape.preserves_unknown_fields && !options_.crd_names.empty()) {
      AddError(name,
               "pruning is not on yet, and before that all objects have to be clean, so that none "
               "is tried by itself; run the same command again in the place of --retry-failed");
      return false;
    }
    const auto failed = rewrite::LoadFailedObjects(options_.state_dir, live.shape.uid);
    for (const rewrite::FailedObject& object : failed) {
      options_.retried->push_back({name, object.namespace_, object.name, object.is_held});
    }
    if (failed.empty() && !options_.crd_names.empty()) {
      session_.observer.OnLine("note: " + name +
                               ": --state-dir tells of no object that failed in its last run");
    }
    return !failed.empty();
  }

  MigrationOptions options_;
  const rewrite::MigrationSession& session_;
  kube::base::Clock::TimePoint found_at_{};
  std::atomic<bool> is_engine_absent_ = false;
  cluster::Proposals proposals_;
  check::ClusterCrds crds_;
  report::MigrationReport report_;
};

}  // namespace

report::MigrationReport Migrate(const MigrationOptions& options,
                                const rewrite::MigrationSession& session) {
  return Migration(options, session).Run();
}

}  // namespace migrate::migration
