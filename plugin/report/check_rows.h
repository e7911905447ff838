#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"

/// A CRD as a row of a table.
namespace plugin::report {

/// More rows than this leave no room on a screen of 24 lines for what explains them.
inline constexpr std::size_t kFewRows = 16;

/// "NAME", "PRESERVES" ...; `wide`: more of them.
std::vector<std::string> CheckTitles(bool wide);

/// As many cells.
std::vector<std::string> CheckCells(const migrate::report::CrdReport& crd, bool wide);

}  // namespace plugin::report
