#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/table.h"

namespace plugin::report {

// A CRD as a row of a table.

/// More rows than this leave no room on a screen of 24 lines for what explains them.
inline constexpr std::size_t kFewRows = 16;

/// "NAME", "PRESERVES" ...; `wide`: more of them.
std::vector<std::string> CheckTitles(bool wide);

/// As many cells.
std::vector<std::string> CheckCells(const migrate::report::CrdReport& crd, bool wide);

struct CheckTableOptions {
  bool wide = false;        ///< more columns, every row, nothing shortened
  bool rows_only = false;   ///< --no-headers: a row for each CRD and nothing else, for scripts
  bool all_fields = false;  ///< no field that would be lost is left out
  bool all_causes = false;  ///< a refusal is told in the server's words, however long
  bool show_objects = false;
  std::chrono::sys_seconds now;
  Screen screen{};
  /// Flags by which a command reads the same CRDs, each behind a blank (" --context=staging",
  /// " --local -f crds.yaml"); empty: none are needed.
  std::string scope{};
};

/// Prints the report for people: a row for each CRD, and below what explains it.
///
/// Few CRDs are listed by name. With many, the first line counts them by verdict, those with
/// findings come first, and those that prune already without a finding are only counted.
std::string PrintCheckTable(const migrate::report::CheckReport& report,
                            const CheckTableOptions& options);

/// What PrintCheckTable says below the rows; empty where there is nothing to explain.
std::string PrintExplanations(const migrate::report::CheckReport& report,
                              const CheckTableOptions& options);

}  // namespace plugin::report
