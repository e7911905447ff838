#include "plugin/command/completion_command.h"

#include <algorithm>

#include "kube/go/go_format.h"
#include "migrate/report/program_name.h"
#include "plugin/cli/completion_script.h"
#include "plugin/cli/usage_error.h"
#include "plugin/terminal/output.h"

namespace plugin::command {
namespace {

cli::UsageError Refusal(const std::string& message) {
  return cli::UsageError("completion", message);
}

}  // namespace

void CompletionCommand::TakeArguments(std::vector<std::string> arguments) {
  if (arguments.empty()) throw Refusal("Shell not specified.");
  if (arguments.size() > 1) throw Refusal("Too many arguments. Expected only the shell type.");
  options_.shell = arguments[0];
  if (std::ranges::find(cli::kShells, options_.shell) != std::end(cli::kShells)) return;
  throw Refusal("Unsupported shell type " + kube::go::GoQuote(options_.shell) + ".");
}

int CompletionCommand::Run() {
  terminal::WriteStdout(cli::CompletionScript(options_.shell, migrate::report::OwnProgramName()));
  return 0;
}

}  // namespace plugin::command
