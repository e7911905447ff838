#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "kube/base/result.h"
#include "migrate/rewrite/migration_observer.h"
#include "plugin/terminal/progress.h"

namespace plugin::terminal {

/// Shows a migration on stderr, and asks on a terminal.
class MigrationConsole : public migrate::rewrite::MigrationObserver {
 public:
  /// Reads a line that answers a question; absent where it breaks off before its end.
  using ReadAnswer = std::function<std::optional<std::string>()>;

  /// `progress` must outlive it. `yes`: the answer to every question is known. `read_answer` is
  /// empty where nobody can be asked.
  MigrationConsole(Progress& progress, bool yes, ReadAnswer read_answer)
      : progress_(progress), yes_(yes), read_answer_(std::move(read_answer)) {}

  void OnLine(const std::string& line) override { progress_.WriteLine(line); }
  void OnProgress(const std::string& what,
                  const migrate::rewrite::SweepProgress& progress) override {
    progress_.Show(what, progress);
  }
  /// Throws kube::base::Error, which names --yes, where nobody can be asked.
  void RequireAnswer() override;
  bool MayAsk() const override { return !yes_; }
  /// Throws as RequireAnswer.
  bool Confirm(const std::string& question) override;

 private:
  Progress& progress_;
  bool yes_;
  ReadAnswer read_answer_;
};

/// Reads a line from stdin, none where it ends or a signal comes; an empty function if stdin is no
/// terminal. With `stop`, which must outlive it, none where that becomes true, also where another
/// thread than the one that reads gets the signal.
MigrationConsole::ReadAnswer AnswersFromTerminal(const std::atomic<bool>* stop = nullptr);

/// Whether the answer is yes; one that broke off is not.
bool IsYes(const std::optional<std::string>& answer);

/// That a question has nobody to answer it, with the next step.
kube::base::Error NobodyToAsk();

}  // namespace plugin::terminal
