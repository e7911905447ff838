#pragma once

#include "plugin/flags/options.h"

namespace plugin::command {

/// Has a diff program compare objects with what pruning leaves of them, and returns the exit code:
/// 0 no differences, 1 differences, 2 an error, or what could be compared is not all. Throws
/// kube::Error.
int RunDiff(const flags::DiffOptions& options);

}  // namespace plugin::command
