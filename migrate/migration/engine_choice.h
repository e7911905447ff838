#pragma once

#include <string>

/// Who rewrites the objects of a CRD.
namespace migrate::migration {

/// What a run is to do with a CRD, as far as it matters for who may rewrite.
struct EngineSituation {
  bool is_partial = false;       ///< only some of the objects
  bool changes_objects = false;  ///< by --mutation or --clean-managed-fields=always
  bool is_paced = false;         ///< by --max-rate
  bool keeps_versions = false;   ///< status.storedVersions is to stay as it is
  bool verifies = true;          ///< by a pass over all objects
  bool is_server_dry_run = false;
  bool turns_pruning_on = false;  ///< or goes on behind that
  bool holds_objects = false;     ///< some must not be rewritten
  bool is_storage_version_served = true;
  bool is_begun = false;         ///< an earlier run has begun to rewrite by itself
  bool has_old_versions = true;  ///< status.storedVersions is not just the storage version
  bool is_abandoned = false;     ///< nobody took up the StorageVersionMigration of another CRD
};

/// Why the cluster's own engine, which rewrites all objects of a resource with nothing but {}, must
/// not have the objects; empty: it may.
std::string WhyNotInCluster(const EngineSituation& situation);

/// The same for Engine::kAuto, which also leaves it out where it would be of no use: where only
/// pruning is left to be proven our own pass does it at once.
std::string WhyNotByItself(const EngineSituation& situation);

}  // namespace migrate::migration
