#pragma once

#include <string>
#include <vector>

#include "plugin/check/check_options.h"
#include "plugin/flags/command.h"

namespace plugin::command {

/// Checks what its options name, and prints the report.
class CheckCommand final : public flags::CommandWith<check::CheckOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;

 private:
  void FinishServerVersion();

  std::vector<std::string> fail_on_, expand_;
  std::string server_version_;
};

}  // namespace plugin::command
