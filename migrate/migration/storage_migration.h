#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/client/client.h"
#include "kube/json/json.h"

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

// One StorageVersionMigration of storagemigration.k8s.io, on which kube-controller-manager works
// (KEP-4192). Served as v1alpha1 from Kubernetes 1.30 and as v1beta1 from 1.35, by the feature
// gate StorageVersionMigrator, and as v1 from 1.37 (k8s.io/api/storagemigration).

inline constexpr char kGroup[] = "storagemigration.k8s.io";
inline constexpr char kResource[] = "storageversionmigrations";

/// The resource whose objects are to be rewritten, and the CRD as it is meanwhile.
struct MigratedResource {
  std::string crd_name, crd_uid;
  std::int64_t crd_generation = 0;
  std::string group, version, plural;  ///< `version` is one that is served
};

/// How far it has come, in this order; the last two are ends.
enum class Stage {
  kCreated,    ///< nobody has written its status yet
  kTakenUp,    ///< it has a status.resourceVersion: the controller has seen it
  kRunning,    ///< the condition Running is true
  kSucceeded,  ///< the condition Succeeded is true
  kFailed,     ///< the condition Failed is true
};

struct StorageMigration {
  std::string name, uid;
  bool is_ours = false;             ///< was made by PrintStorageMigration
  std::int64_t crd_generation = 0;  ///< of ours: MigratedResource::crd_generation
  Stage stage = Stage::kCreated;
  std::string message;  ///< of the condition that tells the stage; may be empty
  std::string status;   ///< all of it, to see whether it has changed
};

/// The only name that we give to one for a CRD: that of the CRD, cut to fit, and its uid. So a
/// later run finds that of an earlier one, from whatever machine, and two runs do not make two.
std::string NameOfStorageMigration(const MigratedResource& resource);

/// "storageversionmigrations.storagemigration.k8s.io/NAME", as kubectl takes it.
std::string FullName(const std::string& name);

/// Its JSON as it is to be created in `api_version`: "v1", "v1beta1" or "v1alpha1". The last one
/// alone names a version of the resource.
std::string PrintStorageMigration(const MigratedResource& resource, std::string_view api_version);

/// Reads one; of what is no StorageVersionMigration everything is empty.
StorageMigration ReadStorageMigration(const kube::json::Value& object);

}  // namespace migrate::migration
