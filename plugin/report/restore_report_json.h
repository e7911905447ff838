#pragma once

#include "kube/json/json.h"
#include "migrate/report/restore_report.h"

namespace plugin::report {

/// The report as programs read it (docs/REPORTS.md has the contract).
///
/// The value borrows from `report`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::report::RestoreReport& report, kube::json::Arena& arena);

}  // namespace plugin::report
