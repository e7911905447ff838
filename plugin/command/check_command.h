#pragma once

#include <chrono>
#include <string>

#include "migrate/report/report.h"
#include "plugin/flags/options.h"

namespace plugin::command {

/// Checks what `options` name, prints the report and returns the exit code. Throws kube::Error.
int RunCheck(flags::CheckOptions options);

/// What goes where, and how the program ends.
struct CheckOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 clean, 1 findings that --fail-on counts, 2 an error
};

/// Prints `report` as `options` say. `now` is what ages are counted to.
CheckOutput PrintCheck(const migrate::report::CheckReport& report,
                       const flags::CheckOptions& options, std::chrono::sys_seconds now);

}  // namespace plugin::command
