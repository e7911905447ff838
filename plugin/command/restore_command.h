#pragma once

#include <string>

#include "migrate/report/restore_report.h"
#include "plugin/command/commands.h"

namespace plugin::command {

/// What goes where, and how the program ends.
struct RestoreOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 all is back, 1 some object is not, 2 an error; not of signals
};

/// Prints `report` in the format of `options`; of pages (plugin/report) what stderr gets
/// alone.
RestoreOutput PrintRestore(const migrate::report::RestoreReport& report,
                           const RestoreOptions& options);

}  // namespace plugin::command
