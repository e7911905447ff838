#pragma once

#include <vector>

#include "kube/json/json.h"
#include "migrate/report/check_report.h"
#include "plugin/report/object_builder.h"

namespace plugin::report {

/// The report as programs read it (docs/REPORTS.md has the contract). Beyond the contract, where
/// there is something to say: source, objectErrors and objectsSkipped of a CRD, unknownKinds and
/// fileErrors of the whole.
///
/// The value borrows from `report`, and holds in `arena` what it adds. `show_objects` says whether
/// CRDs have `objects`.
kube::json::Value ToJson(const migrate::report::CheckReport& report, bool show_objects,
                         kube::json::Arena& arena);

/// Adds how many CRDs there are, in all and of each verdict, and how many objects.
void AddSums(ObjectBuilder& builder, const std::vector<const migrate::report::CrdReport*>& crds);

}  // namespace plugin::report
