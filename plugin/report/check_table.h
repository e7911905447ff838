#pragma once

#include <chrono>
#include <string>

#include "migrate/report/check_report.h"

namespace plugin::report {

struct CheckTableOptions {
  bool wide = false;        ///< more columns, every row, nothing shortened
  bool rows_only = false;   ///< --no-headers: a row for each CRD and nothing else, for scripts
  bool all_fields = false;  ///< no field that would be lost is left out
  bool show_objects = false;
  std::chrono::sys_seconds now;
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
