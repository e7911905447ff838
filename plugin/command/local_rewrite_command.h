#pragma once

#include "plugin/cli/migrate_options.h"

namespace plugin::command {

/// Prints the custom resources of files as the server would store them with pruning on, and returns
/// the exit code: 0 done, 1 if the server would not store some object, 2 if some file could not be
/// read, or none holds a CRD. Objects without a CRD are left out with a note. Throws
/// kube::base::Error.
///
/// YAML documents are separated by "---"; JSON is one List. Written as they are read.
int RunLocalRewrite(const cli::MigrateOptions& options);

}  // namespace plugin::command
