#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "kube/base/text.h"
#include "plugin/cli/command_line.h"
#include "plugin/cli/help.h"
#include "plugin/command/commands.h"
#include "plugin/command/server_warnings.h"
#include "plugin/command/stop_signal.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

// A signal's exit code stays: it says more.
int WithWarnings(int exit_code, bool are_errors) {
  const std::size_t warnings = ServerWarnings::Count();
  if (!are_errors || warnings == 0) return exit_code;
  terminal::WriteStderr("error: " + kube::base::Count(warnings, "warning") + " received\n");
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

int RunCommandLine(std::span<const std::string> words) {
  if (const auto typed = WordsToComplete(words)) {
    return RunComplete(Commands(), *typed);
  }
  const cli::CommandLine line = cli::ParseCommandLine(Commands(), words);
  if (!line.command) {
    terminal::WriteStdout(cli::HelpOf(Commands(), line.help));
    return 0;
  }
  const int exit_code = line.command->Run();
  return WithWarnings(exit_code, line.command->common().warnings_as_errors);
}

}  // namespace
}  // namespace plugin::command

int main(int argc, char** argv) {
  // A file that may grow no more is told by write(), as a full disk is, and cleaned up after.
  std::signal(SIGXFSZ, SIG_IGN);
  plugin::command::OpenStandardFiles();
  try {
    // argv may be empty, without even the program's name.
    const std::vector<std::string> words(argc > 0 ? argv + 1 : argv, argv + argc);
    return plugin::command::RunCommandLine(words);
  } catch (const std::exception& error) {
    plugin::terminal::WriteStderr(plugin::terminal::ErrorText(error.what()) + "\n");
    const int stopped = plugin::command::StopExitCode();
    return stopped == 0 ? 2 : stopped;
  }
}
