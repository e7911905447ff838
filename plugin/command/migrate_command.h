#pragma once

#include <string>
#include <vector>

#include "plugin/flags/command.h"
#include "plugin/flags/migrate_options.h"

namespace plugin::command {

/// Rewrites the custom resources that its options name, and prints the report; with --local
/// RunLocalRewrite.
class MigrateCommand final : public flags::CommandWith<flags::MigrateOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;

 private:
  flags::RawMigrateValues raw_;
};

}  // namespace plugin::command
