#pragma once

#include <string_view>

namespace plugin {

/// What `kubectl prune completion SHELL` prints: for a shell the script that completes
/// `kubectl-prune`, for "kubectl" the program that kubectl's own completion looks for. `shell` is
/// one of kShells.
std::string_view CompletionScript(std::string_view shell);

}  // namespace plugin
