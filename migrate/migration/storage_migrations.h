#pragma once

#include <string>

#include "kube/client/client.h"

namespace migrate::migration {

/// What is known of the StorageVersionMigrations of a cluster.
struct StorageMigrations {
  /// One that has not finished, as "storageversionmigrations.storagemigration.k8s.io/NAME"; empty
  /// if there is none, or none can be read.
  std::string running;
  std::string unknown_because;  ///< some cannot be read: why; else empty
};

/// Looks for those that migrate `plural`.`group`. Knows storagemigration.k8s.io (in-tree) and
/// migration.k8s.io (kube-storage-version-migrator); that a cluster has neither is no error.
StorageMigrations FindStorageMigrations(const std::string& group, const std::string& plural,
                                        kube::client::Client& client);

}  // namespace migrate::migration
