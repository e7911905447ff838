#include "plugin/usage/usage.h"

#include "plugin/usage/renamed.h"
#include "plugin/usage/texts.h"

namespace plugin::usage {
namespace {

std::string_view TextOf(std::string_view command) {
  if (command == "check") return kCheck;
  if (command == "diff") return kDiff;
  if (command == "completion") return kCompletion;
  if (command == "migrate") return kMigrate;
  if (command == "options") return kOptions;
  if (command == "version") return kVersion;
  return kProgram;
}

}  // namespace

std::string Usage(std::string_view command) {
  return Renamed(TextOf(command), migrate::report::OwnProgramName());
}

}  // namespace plugin::usage
