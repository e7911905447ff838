#pragma once

#include <string>
#include <vector>

#include "plugin/cli/command.h"
#include "plugin/command/check_output.h"

namespace plugin::command {

/// Checks what its options name, and prints the report.
class CheckCommand final : public cli::CommandWith<CheckOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  void FinishServerVersion();

  std::vector<std::string> fail_on_, expand_;
  std::string server_version_;
};

}  // namespace plugin::command
