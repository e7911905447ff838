#pragma once

#include <string>
#include <vector>

#include "plugin/flags/command.h"

namespace plugin::completion {

struct CompletionOptions {
  flags::CommonOptions common;
  std::string shell;  ///< one of kShells
};

/// Prints the script that completes command lines in a shell.
class CompletionCommand final : public flags::CommandWith<CompletionOptions> {
 public:
  void AddFlags(flags::FlagSet&, flags::RawValues&) override {}
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet&, const flags::RawValues&) override {}
  int Run() override;
};

}  // namespace plugin::completion
