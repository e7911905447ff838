#pragma once

#include "kube/json/json.h"
#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"

namespace plugin::report {

/// The report as programs read it (docs/REPORTS.md has the contract): the CheckReport of each
/// cluster is in it as that of a single one would be.
///
/// The value borrows from `report`, and holds in `arena` what it adds. `show_objects` says whether
/// CRDs have `objects`.
kube::json::Value ToJson(const migrate::report::FleetReport& report, bool show_objects,
                         kube::json::Arena& arena);

/// The report as programs read it (docs/REPORTS.md has the contract). Beyond the contract, where
/// there is something to say: source, objectErrors and objectsSkipped of a CRD, unknownKinds and
/// fileErrors of the whole.
///
/// The value borrows from `report`, and holds in `arena` what it adds. `show_objects` says whether
/// CRDs have `objects`.
kube::json::Value ToJson(const migrate::report::CheckReport& report, bool show_objects,
                         kube::json::Arena& arena);

}  // namespace plugin::report
