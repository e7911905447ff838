#pragma once

#include "plugin/flags/options.h"

namespace plugin::command {

/// Rewrites the custom resources that `options` name, prints the report and returns the exit code;
/// with --local RunLocalRewrite. Throws kube::Error.
int RunMigrate(flags::MigrateOptions options);

}  // namespace plugin::command
