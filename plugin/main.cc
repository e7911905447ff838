#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "plugin/check_command.h"
#include "plugin/migrate_command.h"
#include "plugin/options.h"
#include "plugin/output.h"
#include "plugin/stop_signal.h"
#include "plugin/usage.h"
#include "plugin/version_command.h"
#include "plugin/wording.h"

namespace plugin {
namespace {

int Run(const CheckOptions& options) { return RunCheck(options); }
int Run(const MigrateOptions& options) { return RunMigrate(options); }
int Run(const VersionOptions& options) { return RunVersion(options); }
int Run(const HelpOptions& options) {
  WriteStdout(Usage(options.command));
  return 0;
}

}  // namespace
}  // namespace plugin

int main(int argc, char** argv) {
  try {
    // argv may be empty, without even the program's name.
    const std::vector<std::string> words(argc > 0 ? argv + 1 : argv, argv + argc);
    return std::visit([](const auto& options) { return plugin::Run(options); },
                      plugin::ParseCommandLine(words));
  } catch (const std::exception& error) {
    plugin::WriteStderr(plugin::ErrorText(error.what()) + "\n");
    const int stopped = plugin::StopExitCode();
    return stopped == 0 ? 2 : stopped;
  }
}
