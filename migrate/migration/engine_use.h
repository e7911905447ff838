#pragma once

#include <functional>
#include <optional>
#include <string>

#include "migrate/cluster/stale_entries.h"
#include "migrate/migration/cluster_engine.h"
#include "migrate/migration/engine_choice.h"
#include "migrate/migration/migration.h"
#include "migrate/migration/preflight.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::migration {

/// What the flags alone tell.
EngineSituation EngineSituationOf(const MigrationOptions& options);

/// The preflight is to find out whether the cluster's own engine can be used.
bool MayUseEngine(const MigrationOptions& options);

/// What is known of a CRD, on a server that has an engine of its own, when its objects are to be
/// rewritten. What it refers to must outlive it.
struct EngineQuestion {
  const MigrationOptions& options;
  const Preflight& preflight;
  EngineSituation situation;
  MigratedResource resource;
  std::string crd_target;   ///< path of the CRD
  std::string list_target;  ///< path of all its objects
  /// By which entries of managedFields are stale; the null pointer: that does not matter.
  const cluster::KnownVersions* known = nullptr;
};

/// Has the cluster's own engine (migrate/migration) rewrite the objects of a CRD in our place,
/// where that is wished and may be.
class EngineUse {
 public:
  /// What `session` refers to must outlive it.
  EngineUse(EngineQuestion question, const rewrite::MigrationSession& session);

  /// Decides: EngineEnd::kForeseen where it is to rewrite, else kNotUsed with the reason. One that
  /// an earlier run has begun with is gone on with. Reads the metadata of all objects where nothing
  /// else speaks against it.
  report::EngineFacts Choose() const;
  /// Name of the StorageVersionMigration.
  std::string name() const;

  /// As ClusterEngine; `find_change` as ClusterEngineOptions::find_change.
  report::EngineFacts Run(std::function<std::optional<std::string>()> find_change);
  void Remove();
  void RemoveLeft();

 private:
  std::string WhyOwn() const;
  std::string FindStaleEntries() const;
  std::uint64_t CountObjects() const;
  ClusterEngineOptions EngineOptions() const;

  const EngineQuestion question_;
  const rewrite::MigrationSession session_;
  std::optional<ClusterEngine> engine_;  // that was run
};

}  // namespace migrate::migration
