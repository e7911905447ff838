#pragma once

#include <string>
#include <string_view>

#include "migrate/report/program_name.h"

namespace plugin::cli {

/// What `kubectl prune completion` prints a script for; "kubectl" is kubectl's own completion.
inline constexpr std::string_view kShells[] = {"bash", "fish", "kubectl", "zsh"};

/// What `kubectl prune completion SHELL` prints: for a shell the script that completes
/// `name.file`, for "kubectl" the program that kubectl's own completion looks for to complete
/// `name.command`. `shell` is one of kShells.
std::string CompletionScript(std::string_view shell, const migrate::report::ProgramName& name);

}  // namespace plugin::cli
