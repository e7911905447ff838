#pragma once

#include <string>

#include "kube/client/client.h"

namespace migrate::migration {

/// What is known of the StorageVersionMigrations of a cluster.
struct StorageMigrations {
  /// Another's that has not finished, as "storageversionmigrations.storagemigration.k8s.io/NAME";
  /// empty if there is none, or none can be read.
  std::string running;
  std::string unknown_because;  ///< some cannot be read: why; else empty
  /// The newest version that is served of storagemigration.k8s.io; empty: none.
  std::string in_tree_version;
  bool has_own = false;  ///< there is one in that group with the name `own`, finished or not
};

/// Looks for those that migrate `plural`.`group`. Knows storagemigration.k8s.io (in-tree) and
/// migration.k8s.io (kube-storage-version-migrator); that a cluster has neither is no error. That
/// in-tree with the name `own` is no other's.
StorageMigrations FindStorageMigrations(const std::string& group, const std::string& plural,
                                        const std::string& own, kube::client::Client& client);

}  // namespace migrate::migration
