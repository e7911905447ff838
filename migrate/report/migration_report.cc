#include "migrate/report/migration_report.h"



namespace migrate::report {

FleetMigrationSums SumsOf(const FleetMigrationReport& report) {
  FleetMigrationSums sums;
  for (const MigratedCluster& cluster : report.clusters) {
    if (!cluster.error.empty()) ++sums.not_migrated;
    if (!cluster.same_as.empty()) ++sums.same;
    sums.crds += cluster.migration.crds.size();
    for (const CrdMigration& crd : cluster.migration.crds) sums.counts += crd.counts;
  }
  return sums;
}

}  // namespace migrate::report
