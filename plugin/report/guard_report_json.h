#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/report/check_report.h"

namespace plugin::report {

/// The report as programs read it (docs/REPORTS.md has the contract).
///
/// The value borrows from `report`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::report::GuardReport& report, kube::json::Arena& arena);

/// One of its writers; in its CRD a CheckReport has the same.
kube::json::Value ToJson(const migrate::report::WriterUse& use, kube::json::Arena& arena);

/// Reads a report that was printed as JSON, as far as another report shows it: its facts and
/// writers. The error says what is wrong with the text, which may be anything. Of several replicas
/// each has its own report.
kube::base::Result<migrate::report::GuardReport, std::string> ReadGuardReport(
    std::string_view text);

}  // namespace plugin::report
