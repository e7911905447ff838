#pragma once

#include "migrate/report/migration_report.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// What `migrate` says to people: a section for each CRD, in the order of the report, and for each
/// that --all did not take up.
Page PageOf(const migrate::report::MigrationReport& report);

/// Of the objects that ended so.
Tone ToneOfClass(migrate::report::ObjectClass c);

}  // namespace plugin::report
