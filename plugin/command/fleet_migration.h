#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "kube/base/mutex.h"
#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"
#include "plugin/command/commands.h"
#include "plugin/command/fleet_console.h"

namespace plugin::command {

/// What the migration of a cluster may not do without being agreed to.
struct Request {
  std::string cluster;
  std::string question;  ///< as the migration of a single cluster asks it
  std::string crd{};     ///< where it is about pruning
  /// What turning pruning on was foretold to do; absent where that is not the question.
  std::optional<migrate::report::ForetoldLoss> loss{};
};

/// Lets the migrations of several clusters, each in a thread of its own, be answered by a person at
/// once: nobody is answered before each of them has asked, or has ended. For any thread.
class CommonQuestion {
 public:
  /// Answers each of the requests, which are sorted by cluster; `ended` are the clusters, sorted,
  /// that have asked nothing and will not. Is called in one thread at a time, while all others
  /// wait. What it throws is no to all.
  using Ask = std::function<std::vector<bool>(const std::vector<Request>& requests,
                                              const std::vector<std::string>& ended)>;

  /// `clusters` is how many will ask or end.
  CommonQuestion(std::size_t clusters, Ask ask);

  /// Waits for all others, and for the answer.
  bool Confirm(Request request);
  /// This one will not ask any more. To be called once for each cluster, whatever became of it; may
  /// be what the others have waited for, and takes as long as their answer then.
  void End(const std::string& cluster);

 private:
  kube::base::Mutex mutex_;

  void AskIfAllAreThere() REQUIRES(mutex_);
  void Answer() REQUIRES(mutex_);

  std::condition_variable answered_;
  std::size_t clusters_ GUARDED_BY(mutex_);  // that have not ended
  const Ask ask_;
  std::vector<Request> requests_ GUARDED_BY(mutex_);
  std::vector<std::string> ended_ GUARDED_BY(mutex_);
  std::vector<bool> answers_
      GUARDED_BY(mutex_);  // to the requests of the last round, in the order of their arrival
  std::size_t round_ GUARDED_BY(mutex_) = 0;
};

/// Room for so many clusters to be worked on at once.
using Places = std::counting_semaphore<>;

/// Who answers the questions of a fleet.
enum class Answers {
  kYes,     ///< all are agreed to beforehand, or nothing is written
  kPerson,  ///< one for all of the clusters
  kNobody,
};

/// Follows the migration of one cluster of a fleet: what it tells stands behind its name, what it
/// asks is asked for all at once. It has one of `places`, which it leaves to others while it waits
/// for the answer.
class FleetObserver : public migrate::rewrite::MigrationObserver {
 public:
  /// All that it is given must outlive it.
  FleetObserver(const std::string& cluster, Answers answers, FleetConsole& console,
                CommonQuestion& question, Places& places)
      : cluster_(cluster),
        answers_(answers),
        console_(console),
        question_(question),
        places_(places) {}

  void OnLine(const std::string& line) override { console_.WriteLine(cluster_, line); }
  void OnProgress(const std::string& what,
                  const migrate::rewrite::SweepProgress& progress) override {
    console_.Show(cluster_, what, progress);
  }
  /// Is kept for the question, where one is asked.
  void OnForetold(const std::string& crd_name, const migrate::report::ForetoldLoss& loss) override;
  /// As terminal::MigrationConsole.
  void RequireAnswer() override;
  bool MayAsk() const override { return answers_ != Answers::kYes; }
  bool Confirm(const std::string& question) override;

 private:
  const std::string& cluster_;
  const Answers answers_;
  FleetConsole& console_;
  CommonQuestion& question_;
  Places& places_;
  std::string foretold_crd_;
  std::optional<migrate::report::ForetoldLoss> foretold_;  // that was not asked about yet
};

/// A question that is put to a person once, for several clusters.
struct FleetQuestion {
  std::vector<std::size_t> requests;  ///< which ones it is about, by their places
  std::vector<std::string> lines;     ///< what is to be known before it is answered
  std::string question;
};

/// What is to be asked so that all of `requests` are answered. All that are to turn pruning on are
/// one question: below what holds for each of them there is a table of what would be lost where. Of
/// the others those that ask the same are one. `ended`: clusters that it is not about any more,
/// which the first question tells.
std::vector<FleetQuestion> QuestionsOf(const std::vector<Request>& requests,
                                       const std::vector<std::string>& ended);

/// The options of the migration of `context` alone, out of those of a fleet: it has a folder for
/// backups of its own, below that of all.
MigrateOptions OptionsOfCluster(const MigrateOptions& options, const std::string& context);

/// Migrates each cluster that `options.fleet` chooses as it would be migrated alone, several at
/// once, with progress on stderr. `common` is how: the same for all but for the folder of backups.
/// First each is asked which cluster it is, so that one to which several contexts lead is migrated
/// once: where that is proven (ProveSameCluster). One that only may be the same as another is not
/// migrated, which is its error; in a dry run it is shown. What has to be agreed to is asked of a
/// person once for all clusters, when each of them has come so far, or has ended.
///
/// What goes wrong with one is its error in the report; once a signal comes those that are under
/// way end as one alone does, and those that were not begun are interrupted. Throws
/// kube::base::Error where the kubeconfig cannot be read, nothing in it is chosen, or there is no
/// room for the threads; nothing was written then.
migrate::report::FleetMigrationReport MigrateFleet(
    const MigrateOptions& options, const migrate::migration::MigrationOptions& common);

}  // namespace plugin::command
