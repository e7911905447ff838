#pragma once

#include <string>
#include <vector>

#include "plugin/cli/command.h"

namespace plugin::command {

struct CompletionOptions {
  cli::CommonOptions common;
  std::string shell;  ///< one of kShells
};

/// Prints the script that completes command lines in a shell.
class CompletionCommand final : public cli::CommandWith<CompletionOptions> {
 public:
  void AddFlags(cli::FlagSet&, cli::RawValues&) override {}
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet&, const cli::RawValues&) override {}
  int Run() override;
};

}  // namespace plugin::command
