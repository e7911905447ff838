#pragma once

#include <string>

#include "migrate/check/crd_shape.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::migration {

/// A CRD that is to be as it was.
struct ExpectedCrd {
  const std::string& target;  ///< its path
  const check::CrdShape& shape;
};

/// Brings status.storedVersions to what the run in `report` has proven, and says so there: trims
/// them, unless `report.kept_because` says why they stay. Then what the cluster has trimmed by its
/// own engine is put back; that it cannot be is a warning.
void EndStoredVersions(report::CrdMigration& report, const ExpectedCrd& crd,
                       const rewrite::MigrationSession& session);

}  // namespace migrate::migration
