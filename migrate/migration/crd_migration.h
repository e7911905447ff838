#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "migrate/check/live_crd.h"
#include "migrate/cluster/proposals.h"
#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::migration {

/// What the migrations of all CRDs of a run share.
struct MigrationContext {
  const MigrationOptions& options;
  std::string crds_target;  ///< ClusterCrds::target
  std::string cluster;      ///< uid of the namespace kube-system; empty if unknown
  const rewrite::MigrationSession& session;
  kube::base::Clock::TimePoint found_at;            ///< when all CRDs had been read
  const std::vector<cluster::Proposal>& proposals;  ///< of MigrationOptions::filenames
  /// Nobody has taken up the StorageVersionMigration of a CRD: kAuto makes no other.
  std::atomic<bool>& is_engine_absent;
};

/// Migrates one CRD, from the preflight to the trim of status.storedVersions, as migration.h says.
/// It is read first: long may have passed since it was `found`.
///
/// Whatever goes wrong is in the result; also what Client::Poll throws (no credentials) and what
/// cannot be written to the state folder or the backup becomes an Outcome::kError.
report::CrdMigration MigrateCrd(const MigrationContext& context, const check::LiveCrd& found);

}  // namespace migrate::migration
