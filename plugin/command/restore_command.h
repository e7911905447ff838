#pragma once

#include <string>

#include "migrate/report/restore_report.h"
#include "plugin/command/commands.h"
#include "plugin/report/report_forms.h"

namespace plugin::command {

/// Prints `report` in the format of `options`. The exit code is 0 if all is back, 1 if some object
/// is not, 2 after an error.
report::Output PrintRestore(const migrate::report::RestoreReport& report,
                            const RestoreOptions& options);

}  // namespace plugin::command
