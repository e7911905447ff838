#pragma once

#include <string>
#include <vector>

#include "plugin/cli/command.h"
#include "plugin/cli/migrate_options.h"

namespace plugin::command {

/// Rewrites the custom resources that its options name, and prints the report; with --local
/// RunLocalRewrite.
class MigrateCommand final : public cli::CommandWith<cli::MigrateOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  cli::RawMigrateValues raw_;
};

}  // namespace plugin::command
