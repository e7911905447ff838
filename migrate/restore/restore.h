#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "migrate/check/object_diff.h"
#include "migrate/cluster/pager.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/report/restore_report.h"
#include "migrate/restore/object_restore.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::restore {

struct RestoreOptions {
  std::string backup{};  ///< a file that migrate wrote, or any with custom resources, YAML or JSON
  /// The CRD by which its objects were pruned; empty: that beside the backup, if it is there
  /// (rewrite::PrunedByPath). Of a backup with objects of one CRD.
  std::string pruned_by{};
  std::vector<check::DiffTarget> targets{};  ///< only these CRDs and objects; empty: all
  cluster::ObjectSelection objects{};        ///< as the server selects them, as they are now
  RestoreSettings settings{};
  rewrite::Pace pace{};
  bool verify = true;               ///< reads back what was restored
  bool names_objects = false;       ///< CrdRestore::objects
  migration::LeaseOptions lease{};  ///< of a run that writes
};

/// Puts back what pruning took from the objects of a backup, and only that (taken_fields.h).
///
/// The backup is read once before anything is written: nothing is where some of it cannot be read,
/// has no CRD in the cluster, or names an object twice; nor where a CRD would prune again what is
/// to come back, which its report names. Then each object is restored by itself (object_restore.h),
/// as many at once as the server takes well, and each ends in one class. Ahead of that the Lease of
/// each CRD is taken (crd_account.h): where another run has one, nothing is written. While a run
/// goes on the CRD is read again and again: if it changes, or the Lease is lost, that ends it.
/// There is no state: run again it finds what is back already unchanged, and goes on with the rest.
///
/// Throws kube::base::Error for what makes it impossible: a file that cannot be read, a name that
/// is not in it, a server that cannot be reached. Nothing was written then.
report::RestoreReport Restore(const RestoreOptions& options,
                              const rewrite::MigrationSession& session);

}  // namespace migrate::restore
