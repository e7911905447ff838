#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/cli/command.h"
#include "plugin/cli/command_line.h"

namespace plugin::command {

struct CompletionOptions {
  cli::CommonOptions common;
  std::string shell;  ///< one of kShells
};

/// Prints the script that completes command lines in a shell.
class CompletionCommand final : public cli::CommandWith<CompletionOptions> {
 public:
  void AddFlags(cli::FlagSet&, cli::RawValues&) override {}
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet&, const cli::RawValues&) override {}
  int Run() override;
};

/// The command line to complete: the words behind `kubectl prune __complete`, each as it is.
/// Nothing for other `words`.
std::optional<std::span<const std::string>> WordsToComplete(std::span<const std::string> words);

/// Prints what the last of `words` may become, as kubectl's completion and the scripts of `kubectl
/// prune completion` read it: a candidate a line, with a tab before its description, then ":" and
/// what the shell shall do (completion_script.cc). Says nothing on stderr, asks nobody, and ends
/// within three seconds whatever the cluster does. Returns the exit code, 0.
int RunComplete(cli::CommandRows commands, std::span<const std::string> words);

}  // namespace plugin::command
