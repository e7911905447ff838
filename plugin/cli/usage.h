#pragma once

#include <span>
#include <string>
#include <string_view>

#include "migrate/report/program_name.h"

namespace plugin::cli {

// The help of each command, a file each, as it is printed for a plugin named kubectl-prune.

extern const std::string_view kCheck;
extern const std::string_view kCompletion;
extern const std::string_view kDiff;
extern const std::string_view kGuard;
extern const std::string_view kMigrate;
extern const std::string_view kOptions;
extern const std::string_view kPopulate;
extern const std::string_view kRestore;
extern const std::string_view kSuggest;
extern const std::string_view kVersion;

/// `text`, written for a plugin named kubectl-prune, for one named `name`: commands to run, and
/// with them the names of files and shell functions that carry the plugin's. Folders for data
/// (kubectl-prune-backup) stay.
std::string Renamed(std::string_view text, const migrate::report::ProgramName& name);

/// `text`, one of texts.h, calling the program as the user does.
std::string Usage(std::string_view text);

/// One line of the program's help.
struct CommandSummary {
  std::string_view name, summary;
};

/// The help of the whole program, which lists `commands` in their order. It calls the program
/// as the user does.
std::string ProgramUsage(std::span<const CommandSummary> commands);

}  // namespace plugin::cli
