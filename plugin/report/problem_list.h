#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"

namespace plugin::report {

/// Appends one line for each problem, behind its version if it has one, and its hint below; a hint
/// that holds for several in a row is below the last of them.
///
/// Unless `all`, only the first ones of each sort are shown ("must not be empty for specified
/// object fields" may come in hundreds), and a line counts the rest.
void AppendProblems(std::string& out, const std::vector<migrate::report::Problem>& problems,
                    bool all);

}  // namespace plugin::report
