#pragma once

#include <optional>
#include <semaphore>
#include <string>

#include "migrate/rewrite/migration_observer.h"
#include "plugin/command/common_question.h"
#include "plugin/command/fleet_console.h"

namespace plugin::command {

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

}  // namespace plugin::command
