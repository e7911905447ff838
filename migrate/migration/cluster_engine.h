#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/migration/migration.h"
#include "migrate/migration/preflight.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"

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

struct ClusterEngineOptions {
  std::string api_version;  ///< of storagemigration.k8s.io
  MigratedResource resource;
  std::string crd_target;  ///< path of the CRD
  /// How long nothing of it may change. While it runs it may take longer, by the number of objects:
  /// the controller says nothing from its first write to its last.
  std::chrono::nanoseconds patience = std::chrono::minutes(5);
  std::uint64_t objects = 0;  ///< that are there to be rewritten
  /// As SweepOptions::find_change; a text ends it.
  std::function<std::optional<std::string>()> find_change{};
};

/// The engine that a cluster has of its own: creates a StorageVersionMigration for a CRD, or takes
/// up that of an earlier run, and follows it to its end.
///
/// It is read again and again, with pauses that grow from a quarter of a second to five, in which
/// others may work with the cluster (Session::turns). One of an earlier run that has failed, or is
/// of another generation of the CRD, is deleted and made anew. Nobody is believed: that it has
/// succeeded is to be verified.
///
/// The controller (pkg/controller/storageversionmigrator, 1.30 to 1.37): patches each object that
/// the garbage collector knows, one after the other, by a server-side apply of its uid and
/// resourceVersion; a conflict counts as done, and so does an object that is newer than the
/// StorageVersionMigration; 429, 500, 503 and lost connections begin the loop anew; any other
/// answer to any object ends all of it as Failed, for good.
class ClusterEngine {
 public:
  /// What `session` refers to must outlive it.
  ClusterEngine(ClusterEngineOptions options, const rewrite::MigrationSession& session);

  /// Does all that. After every end but kSucceeded and kInterrupted the StorageVersionMigration is
  /// deleted, as far as that is possible. Throws what Client::Poll throws.
  report::EngineFacts Run();

  /// After kSucceeded, once it is verified: deletes it. That it cannot be deleted is told.
  void Remove();

  /// In the place of Run: deletes what an earlier run has left, if it is ours.
  void RemoveLeft();

 private:
  using TimePoint = kube::base::Clock::TimePoint;

  report::EngineEnd Begin();
  report::EngineEnd TakeUp(StorageMigration found);
  report::EngineEnd Create();
  report::EngineEnd Follow();
  std::optional<report::EngineEnd> Look();  // absent: it has not ended
  void Take(StorageMigration now);
  kube::base::Clock::Duration Patience() const;
  std::optional<report::EngineEnd> FindStandstill();
  bool Pause();  // false: to be stopped
  void WaitUntilReleased();
  bool IsGone();
  bool AwaitGone();
  bool SendDelete(const std::string& uid);
  report::EngineEnd End(report::EngineEnd end, std::string reason);
  void Log(const std::string& text) const;
  std::string Target() const;
  std::string Collection() const;

  const ClusterEngineOptions options_;
  const rewrite::MigrationSession session_;
  const std::string name_, full_name_;
  StorageMigration seen_;   // as it was read last
  TimePoint begun_at_{};    // when it was read first
  TimePoint changed_at_{};  // when it was first seen as it was read last
  kube::base::Clock::Duration pause_{};
  report::EngineFacts facts_;
};

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
