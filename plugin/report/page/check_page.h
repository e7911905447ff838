#pragma once

#include "migrate/report/check_report.h"
#include "plugin/report/page/page.h"

namespace plugin::report::page {

/// What `check` says to people: a section for each CRD, in the order of the report.
Page PageOf(const migrate::report::CheckReport& report);

}  // namespace plugin::report::page
