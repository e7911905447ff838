#pragma once

#include "plugin/command/populate_command.h"

namespace plugin::command {

/// Prints what namespaces get by the templates of files (`populate --local`), and tells what is
/// left out. Returns the exit code of PopulateCommand.
int PrintLocalPopulation(const PopulateOptions& options);

}  // namespace plugin::command
