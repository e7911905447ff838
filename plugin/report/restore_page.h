#pragma once

#include "migrate/report/restore_report.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// What `restore` says to people: a section for each CRD, in the order of the report.
Page PageOf(const migrate::report::RestoreReport& report);

}  // namespace plugin::report
