#pragma once

#include <functional>
#include <string>

#include "kube/client/session.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/sweep.h"

namespace migrate::rewrite {

/// Is told what a migration is doing, and asked before what cannot be taken back. Everything is
/// for people. Calls come from the thread that runs the migration.
class MigrationObserver {
 public:
  virtual ~MigrationObserver() = default;
  /// A line that stays: "backup: ...", "waiting until the server prunes: ...", a warning.
  virtual void OnLine(const std::string& line) = 0;
  /// How far a sweep has come; `what` as in "widgets.demo.example.com", "verifying
  /// widgets.demo.example.com".
  virtual void OnProgress(const std::string& what, const SweepProgress& progress) = 0;
  /// What turning pruning on is foretold to do to the objects of a CRD. Where somebody is asked
  /// whether it shall be, Confirm comes next.
  virtual void OnForetold(const std::string& crd_name, const report::ForetoldLoss& loss) {
    static_cast<void>(crd_name);
    for (const std::string& line : loss.plan) OnLine(line);
  }
  /// Throws kube::base::Error, with the next step, if Confirm could not be answered: to be told
  /// before the work that leads to the question.
  virtual void RequireAnswer() {}
  /// Whether a person is asked by Confirm, which takes as long as the person does.
  virtual bool MayAsk() const { return false; }
  /// Asks for a decision that cannot be taken back. False: no.
  virtual bool Confirm(const std::string& question) = 0;
};

/// A session whose work a person follows. All that it refers to must outlive it and its copies.
struct MigrationSession : kube::client::Session {
  MigrationObserver& observer;
};

/// Tells `observer`, which must outlive it, how far the reading of a list has come.
inline std::function<void(const cluster::ListProgress&)> ProgressOf(const std::string& what,
                                                                    MigrationObserver& observer) {
  return [what, &observer](const cluster::ListProgress& progress) {
    observer.OnProgress(what,
                        {.listed = progress.items, .expected = progress.items_known, .counts = {}});
  };
}

}  // namespace migrate::rewrite
