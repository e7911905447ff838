#pragma once

#include "plugin/flags/options.h"

namespace plugin::completion {

/// Prints what the last word may become, as kubectl's completion and the scripts of `kubectl prune
/// completion` read it: a candidate a line, with a tab before its description, then ":" and what
/// the shell shall do (completion_script.cc). Says nothing on stderr, asks nobody, and ends within
/// three seconds whatever the cluster does. Returns the exit code, 0.
int RunComplete(const flags::CompleteOptions& options);

}  // namespace plugin::completion
