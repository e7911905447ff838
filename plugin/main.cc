#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "migrate/report/program_name.h"
#include "plugin/command/check_command.h"
#include "plugin/command/diff_command.h"
#include "plugin/command/migrate_command.h"
#include "plugin/command/server_warnings.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/version_command.h"
#include "plugin/completion/complete_command.h"
#include "plugin/completion/completion_script.h"
#include "plugin/flags/options.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/wording.h"
#include "plugin/usage/usage.h"

namespace plugin {
namespace {

int Run(const flags::CheckOptions& options) { return command::RunCheck(options); }
int Run(const flags::DiffOptions& options) { return command::RunDiff(options); }
int Run(const flags::MigrateOptions& options) { return command::RunMigrate(options); }
int Run(const flags::VersionOptions& options) { return command::RunVersion(options); }
int Run(const flags::CompletionOptions& options) {
  terminal::WriteStdout(
      completion::CompletionScript(options.shell, migrate::report::OwnProgramName()));
  return 0;
}
int Run(const flags::CompleteOptions& options) { return completion::RunComplete(options); }
int Run(const flags::HelpOptions& options) {
  terminal::WriteStdout(usage::Usage(options.command));
  return 0;
}

bool AreWarningsErrors(const flags::HelpOptions&) { return false; }
bool AreWarningsErrors(const flags::CompleteOptions&) { return false; }
template <typename Options>
bool AreWarningsErrors(const Options& options) {
  return options.common.warnings_as_errors;
}

// A signal's exit code stays: it says more.
int WithWarnings(int exit_code, bool are_errors) {
  const std::size_t warnings = command::ServerWarnings();
  if (!are_errors || warnings == 0) return exit_code;
  terminal::WriteStderr("error: " + terminal::Count(warnings, "warning") + " received\n");
  return std::max(exit_code, 2);
}

// What is closed leads nowhere, as in Go. Else the next connection would get its number, and the
// server what we print.
void OpenStandardFiles() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is the one that open() takes.
    if (fcntl(descriptor, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);
  }
}

int RunCommand(const flags::Command& command) {
  return std::visit(
      [](const auto& options) { return WithWarnings(Run(options), AreWarningsErrors(options)); },
      command);
}

}  // namespace
}  // namespace plugin

int main(int argc, char** argv) {
  // A file that may grow no more is told by write(), as a full disk is, and cleaned up after.
  std::signal(SIGXFSZ, SIG_IGN);
  plugin::OpenStandardFiles();
  try {
    // argv may be empty, without even the program's name.
    const std::vector<std::string> words(argc > 0 ? argv + 1 : argv, argv + argc);
    return plugin::RunCommand(plugin::flags::ParseCommandLine(words));
  } catch (const std::exception& error) {
    plugin::terminal::WriteStderr(plugin::terminal::ErrorText(error.what()) + "\n");
    const int stopped = plugin::command::StopExitCode();
    return stopped == 0 ? 2 : stopped;
  }
}
