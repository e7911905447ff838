#include "plugin/usage/usage.h"

#include "plugin/usage/renamed.h"
#include "plugin/usage/texts.h"

namespace plugin {
namespace {

std::string_view TextOf(std::string_view command) {
  if (command == "check") return usage::kCheck;
  if (command == "diff") return usage::kDiff;
  if (command == "completion") return usage::kCompletion;
  if (command == "migrate") return usage::kMigrate;
  if (command == "options") return usage::kOptions;
  if (command == "version") return usage::kVersion;
  return usage::kProgram;
}

}  // namespace

std::string Usage(std::string_view command) {
  return Renamed(TextOf(command), migrate::OwnProgramName());
}

}  // namespace plugin
