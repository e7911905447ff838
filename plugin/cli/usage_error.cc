#include "plugin/cli/usage_error.h"

#include "kube/go/go_format.h"
#include "migrate/report/program_name.h"

namespace plugin::cli {
namespace {

using kube::go::GoQuote;

std::string CommandPath(std::string_view command) {
  std::string path = migrate::report::OwnProgramName().command;
  if (!command.empty()) path.append(" ").append(command);
  return path;
}

}  // namespace

UsageError::UsageError(std::string_view command, const std::string& message)
    : runtime_error(message + "\nSee '" + CommandPath(command) + " --help' for usage.") {}

UsageError InvalidArgument(std::string_view command, std::string_view flag,
                           const std::string& value, const std::string& why) {
  return UsageError(
      command, "invalid argument " + GoQuote(value) + " for " + GoQuote(flag) + " flag: " + why);
}

}  // namespace plugin::cli
