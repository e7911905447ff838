#include "migrate/migration/crd_sequence.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/client/scheduler.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/rewrite/migration_observer.h"

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

}  // namespace

std::vector<report::CrdMigration> MigrateInOrder(const MigrationContext& context,
                                                 const std::vector<const check::LiveCrd*>& crds) {
  return CrdSequence(context, crds).RunInOrder();
}

std::vector<report::CrdMigration> MigrateTogether(const MigrationContext& context,
                                                  const std::vector<const check::LiveCrd*>& crds) {
  return CrdSequence(context, crds).RunTogether();
}

}  // namespace migrate::migration
