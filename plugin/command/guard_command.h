#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "migrate/guard/guard_handlers.h"
#include "plugin/cli/command.h"
#include "plugin/cli/options.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

/// The file of a report that changes while a command goes on: written at the beginning, every ten
/// seconds if there is something new, and at the end. Each time it is whole, as a file that only we
/// may read. For one thread.
class ReportFile {
 public:
  using PrintFunction = std::function<std::string()>;
  /// Takes a line, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// An empty `path`: there is no such file. `clock` must outlive it.
  ReportFile(std::string path, const kube::base::Clock& clock, PrintFunction print,
             LogFunction tell);

  /// `revision` is another number once the report has changed. Throws kube::base::Error where the
  /// file cannot be written.
  void WriteFirst(std::uint64_t revision);
  /// To be called several times a second.
  /// What cannot be written is told once while it lasts, and tried again: a full disk ends no run.
  void WriteIfDue(std::uint64_t revision);
  void WriteLast();

 private:
  void WriteNow() const;
  bool TryToWrite();

  const std::string path_;
  const kube::base::Clock& clock_;
  const PrintFunction print_;
  const LogFunction tell_;
  kube::base::Clock::TimePoint due_{};
  std::uint64_t written_revision_ = 0;
  std::string told_problem_;  // while it lasts
};

struct GuardCommandOptions {
  cli::CommonOptions common;
  cli::InputOptions input;  ///< of the CRDs; never local
  bool all = false;         ///< every CRD of the cluster that preserves unknown fields
  ServingOptions serving;
  migrate::guard::GuardAction action = migrate::guard::GuardAction::kWarn;
  std::string contact;                 ///< GuardOptions::contact
  std::vector<std::string> mutations;  ///< files of mutation trees
  std::string report_file;             ///< empty: the report is served alone
};

/// Serves webhooks that tell, until a signal ends it, who writes what pruning would remove. Its
/// exit code: 0 ended by a signal, 2 it could not begin.
class GuardCommand final : public cli::CommandWith<GuardCommandOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  std::string action_, reach_;
};

}  // namespace plugin::command
