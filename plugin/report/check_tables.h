#pragma once

#include "migrate/report/check_report.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// Adds the tables of what was found of `crd`, those that matter most first.
void AddCheckTables(Section& section, const migrate::report::CrdReport& crd);

}  // namespace plugin::report
