#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/report/restore_report.h"

namespace plugin::report {

/// The report as programs read it (docs/REPORTS.md has the contract).
///
/// The value borrows from `report`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::report::RestoreReport& report, kube::json::Arena& arena);

/// The report as programs read it (docs/REPORTS.md has the contract): the MigrationReport of each
/// cluster is in it as that of a single one would be.
///
/// The value borrows from `report`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::report::FleetMigrationReport& report,
                         kube::json::Arena& arena);

/// The report as programs read it (docs/REPORTS.md has the contract). Beyond the contract: of a CRD
/// outcome, error, dryRun, writtenVersion, beforeFlip, pruningEnabled, generationsMoved, seconds
/// and storedVersions.keptBecause.
///
/// The value borrows from `report`, and holds in `arena` what it adds.
kube::json::Value ToJson(const migrate::report::MigrationReport& report, kube::json::Arena& arena);

/// The objects that a printed MigrationReport, JSON or YAML, calls failed: each once, in its order.
/// The error says what is wrong with the text, which may be anything.
kube::base::Result<std::vector<migrate::rewrite::RetriedObject>, std::string> ReadFailedObjects(
    std::string_view text);

}  // namespace plugin::report
