#pragma once

#include "plugin/cli/flag_set.h"
#include "plugin/command/commands.h"

namespace plugin::command {

/// --explain, --object and --version of check.
void AddExplainFlags(cli::FlagSet& flags, CheckOptions& options);

/// True where --explain is given: a rule is explained in the place of a report.
bool Explains(const CheckOptions& options);

/// Prints what the rules say of the object. The exit code: 0 they hold, 1 one does not, or does not
/// compile, and --fail-on counts that. Throws kube::base::Error for all else.
int RunExplain(const CheckOptions& options);

}  // namespace plugin::command
