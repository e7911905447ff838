#pragma once

#include <string>

#include "plugin/cli/command_line.h"

namespace plugin::command {

/// The commands of this program, in the order of its help. A new one is a row here, its file in
/// plugin/command and its help in plugin/cli.
cli::CommandRows Commands();

/// The help of a command; of the null pointer, and where it has none of its own, that of the
/// program. It calls the program as the user does.
std::string HelpOf(const cli::CommandRow* command);

}  // namespace plugin::command
