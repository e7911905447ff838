#pragma once

#include <string>
#include <string_view>

#include "migrate/report/program_name.h"
#include "plugin/cli/command_line.h"

namespace plugin::cli {

/// The help of `options`, which tells the flags that all commands have.
extern const std::string_view kOptionsHelp;

/// `text`, written for a plugin named kubectl-prune, for one named `name`: commands to run, and
/// with them the names of files and shell functions that carry the plugin's. Folders for data
/// (kubectl-prune-backup) stay.
std::string Renamed(std::string_view text, const migrate::report::ProgramName& name);

/// `text`, written for a plugin named kubectl-prune, calling the program as the user does.
std::string Usage(std::string_view text);

/// The help of one of `commands`, which calls the program as the user does; of the null pointer,
/// and where a command has none of its own, that of the whole program, which lists `commands` in
/// their order.
std::string HelpOf(CommandRows commands, const CommandRow* command);

}  // namespace plugin::cli
