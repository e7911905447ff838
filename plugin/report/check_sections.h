#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/table.h"

namespace plugin::report {

struct SectionOptions {
  bool wide = false;          ///< nothing is shortened
  bool all_fields = false;    ///< no field that would be lost is left out
  bool all_causes = false;    ///< a refusal is told in the server's words, however long
  bool show_objects = false;  ///< each object that loses fields, too
  bool some_objects = false;  ///< only objects of -n, -l or --field-selector were read
  bool show_source = false;   ///< tells CRDs of the same name apart by their file
  std::chrono::sys_seconds now;
  Screen screen{};
};

/// Appends one line for each problem, behind its version if it has one, and its hint below; a hint
/// that holds for several in a row is below the last of them.
///
/// Unless `all`, only the first ones of each sort are shown ("must not be empty for specified
/// object fields" may come in hundreds), and a line counts the rest.
void AppendProblems(std::string& out, const std::vector<migrate::report::Problem>& problems,
                    bool all);

/// Explains what the check found in `crd`: problems, fields that would be lost, what else a rewrite
/// changes, and the next command. Empty where there is nothing to explain.
std::string PrintSection(const migrate::report::CrdReport& crd, const SectionOptions& options);

/// What is to be done about `crd` next, printable: "fix the CRD, then: kubectl prune check NAME".
/// Empty where there is nothing, or the steps of the report say it.
std::string NextStep(const migrate::report::CrdReport& crd);

}  // namespace plugin::report
