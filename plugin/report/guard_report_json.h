#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/report/check_report.h"

namespace plugin::report {

/// Reads the GuardReports of `filenames`, several where a guard had several replicas or days, each
/// only once. Throws kube::base::Error, which names the file, for one that is none.
std::vector<migrate::report::GuardReport> ReadGuardReports(
    const std::vector<std::string>& filenames);

/// Puts the writers that they name into the CRDs of `report`: a writer and a path once, with the
/// sums of its counts. Those of other CRDs are passed over.
void AddGuardWriters(const std::vector<migrate::report::GuardReport>& guards,
                     migrate::report::CheckReport& report);

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
