#pragma once

#include <string>
#include <vector>

#include "plugin/cli/command.h"
#include "plugin/cli/migrate_options.h"

namespace plugin::command {

/// Prints the custom resources of files as the server would store them with pruning on, and returns
/// the exit code: 0 done, 1 if the server would not store some object, 2 if some file could not be
/// read, or none holds a CRD. Objects without a CRD are left out with a note. Throws
/// kube::base::Error.
///
/// YAML documents are separated by "---"; JSON is one List. Written as they are read.
int RunLocalRewrite(const cli::MigrateOptions& options);

/// Rewrites the custom resources that its options name, and prints the report; with --local
/// RunLocalRewrite.
class MigrateCommand final : public cli::CommandWith<cli::MigrateOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  cli::RawMigrateValues raw_;
};

}  // namespace plugin::command
