#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "migrate/report/migration_report.h"
#include "migrate/report/run_facts.h"

namespace migrate::report {

/// A cluster of a fleet, and what a migration did to it.
struct MigratedCluster {
  std::string name;             ///< of the context that leads to it
  std::string error{};          ///< why it could not be migrated; then `migration` holds nothing
  bool is_interrupted = false;  ///< that is all there is to the error
  /// The name of another one that leads to the same cluster, where it is migrated once; empty:
  /// none. Then `migration` holds nothing.
  std::string same_as{};
  int exit_code = 0;  ///< of a migration of it alone, 2 where that is of a signal
  MigrationReport migration{};

  bool is_tried() const { return error.empty() && same_as.empty(); }
};

/// The migrations of several clusters.
struct FleetMigrationReport {
  RunFacts run{};                           ///< of no cluster
  std::vector<MigratedCluster> clusters{};  ///< by name
  double seconds = 0;
};

/// Over all clusters.
struct FleetMigrationSums {
  std::uint64_t not_migrated = 0;  ///< contexts that lead to a cluster which could not be migrated
  std::uint64_t same = 0;          ///< contexts that lead to where another one does
  std::uint64_t crds = 0;          ///< one that several clusters have is counted in each
  ClassCounts counts;
};

FleetMigrationSums SumsOf(const FleetMigrationReport& report);

}  // namespace migrate::report
