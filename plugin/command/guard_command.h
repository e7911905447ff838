#pragma once

#include <string>
#include <vector>

#include "migrate/guard/guard_handlers.h"
#include "plugin/cli/command.h"
#include "plugin/cli/options.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

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
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  std::string action_, reach_;
};

}  // namespace plugin::command
