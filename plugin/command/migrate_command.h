#pragma once

#include "plugin/flags/options.h"

namespace plugin {

/// Rewrites the custom resources that `options` name, prints the report and returns the exit code;
/// with --local RunLocalRewrite. Throws kube::Error.
int RunMigrate(MigrateOptions options);

}  // namespace plugin
