#pragma once

#include <vector>

#include "migrate/check/live_crd.h"
#include "migrate/migration/crd_migration.h"
#include "migrate/report/migration_report.h"

namespace migrate::migration {

/// Migrates CRDs one after the other. The results are in the order of `crds`, of fewer than all
/// where the session was stopped: one of them is interrupted then.
std::vector<report::CrdMigration> MigrateInOrder(const MigrationContext& context,
                                                 const std::vector<const check::LiveCrd*>& crds);

/// The same, but for the waits of each, after pruning is on and until servers have noticed a
/// change: meanwhile the next ones are worked on (kube::client::Scheduler), and whose wait is over
/// comes before those that were not begun. One at a time lists and writes, so that the server has
/// no more to do, and each CRD has the same order of steps. What is told of it begins with its
/// name. To be called where nobody is asked.
std::vector<report::CrdMigration> MigrateTogether(const MigrationContext& context,
                                                  const std::vector<const check::LiveCrd*>& crds);

}  // namespace migrate::migration
