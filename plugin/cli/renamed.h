#pragma once

#include <string>
#include <string_view>

#include "migrate/report/program_name.h"

namespace plugin::cli {

/// `text`, written for a plugin named kubectl-prune, for one named `name`: commands to run, and
/// with them the names of files and shell functions that carry the plugin's. Folders for data
/// (kubectl-prune-backup) stay.
std::string Renamed(std::string_view text, const migrate::report::ProgramName& name);

}  // namespace plugin::cli
