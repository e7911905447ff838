#pragma once

#include <string>

#include "kube/client.h"

namespace migrate {

/// The name of a StorageVersionMigration of the cluster that migrates `plural`.`group` and has not
/// finished, as "storageversionmigrations.storagemigration.k8s.io/NAME"; empty if there is none, or
/// none can be read. Knows storagemigration.k8s.io (in-tree) and migration.k8s.io
/// (kube-storage-version-migrator).
std::string FindStorageMigration(const std::string& group, const std::string& plural,
                                 kube::Client& client);

}  // namespace migrate
