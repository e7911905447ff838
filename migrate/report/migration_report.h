#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "migrate/report/object_class.h"
#include "migrate/report/program_name.h"

namespace migrate::report {

// What a migration did, as plain structs. The plugin prints them; docs/REPORTS.md has the contract
// of the printed form (kind MigrationReport).

enum class DryRun { kNone, kClient, kServer };

/// Who is to rewrite the objects.
enum class Engine {
  kAuto,       ///< the cluster's own where it has one and nothing speaks against it
  kOwn,        ///< we do
  kInCluster,  ///< the cluster's own, or nobody
};

/// How the migration of one CRD ended. The worst one of a run decides the exit code.
enum class Outcome {
  kDone,         ///< every object is in one of the classes that are no failure: exit code 0
  kFailures,     ///< some object was not migrated, or verifying or trimming failed: 1
  kError,        ///< refused, or the run could not go on; `error` says why: 2
  kInterrupted,  ///< by a signal; the same command goes on where it was, or
                 ///< CrdMigration::begins_anew
};

/// What turning pruning on was foretold to take from objects, before anybody was asked.
struct ForetoldLoss {
  std::uint64_t objects = 0;                ///< that were read for it
  std::uint64_t objects_losing_fields = 0;  ///< of these, rather too many than too few
  std::vector<FieldUse> pruned_fields{};    ///< sorted by path
  ManagedFieldsCleaned managed_fields{};    ///< that any write would empty
  std::vector<std::string> plan{};          ///< the whole of what was told, a line each
  bool is_agreed = false;                   ///< by an answer or --yes; never in a dry run
};

/// What a mutation does to the objects of a CRD.
struct MutationFacts {
  std::string sources;                 ///< the files
  std::uint64_t objects = 0;           ///< that were read to foretell it
  std::uint64_t objects_changing = 0;  ///< that it was foretold to change
  std::string backup{};  ///< where they are as they were before; empty: there was nothing to keep,
                         ///< it was not wanted, or nothing was written
};

/// How the StorageVersionMigration of a CRD ended, by which its objects are rewritten in the
/// cluster.
enum class EngineEnd {
  kNotUsed,      ///< none was made, though the server serves the API: `reason` says why
  kForeseen,     ///< a dry run: one would be made
  kSucceeded,    ///< it says so
  kFailed,       ///< it says so, and why
  kIgnored,      ///< nobody has taken it up: there is no controller
  kStuck,        ///< nothing of it has changed for too long
  kDeleted,      ///< by somebody else
  kRefused,      ///< it could not be made, or no longer be read
  kCrdChanged,   ///< the CRD is no longer what it was
  kInterrupted,  ///< we do not follow it any more; the cluster goes on with it
};

/// What is told of the cluster's own engine (storagemigration.k8s.io). After every end but
/// kSucceeded and the last two the objects are rewritten from here.
struct EngineFacts {
  EngineEnd end = EngineEnd::kNotUsed;
  std::string
      migration{};       ///< "storageversionmigrations.storagemigration.k8s.io/NAME"; empty: none
  std::string reason{};  ///< why it was not used, or did not succeed
  double seconds = 0;    ///< for which it was followed by this run
  /// Objects that were not stored as they should be, though it had succeeded: found, and rewritten,
  /// by the pass that verifies.
  std::uint64_t not_rewritten = 0;
};

struct CrdMigration {
  std::string name;
  std::string storage_version;
  std::string written_version;  ///< where the storage version is not served: the one used instead
  Outcome outcome = Outcome::kDone;
  /// With kError and where a sweep stopped early: why, and the next step. With kInterrupted: what
  /// is known of pruning.
  std::string error;
  DryRun dry_run = DryRun::kNone;
  bool begins_anew =
      false;  ///< of a run over some objects, or a dry run, nothing is kept for later

  ClassCounts counts;  ///< of the sweep after pruning is on; adds up to the listed
  std::vector<ObjectFailure>
      failures;  ///< by namespace and name; also those before pruning is turned on
  std::optional<ClassCounts>
      before_pruning;            ///< where everything was rewritten before pruning is turned on
  bool pruning_enabled = false;  ///< this run turned pruning on
  /// Where this run was to turn pruning on and could tell; absent of one that goes on behind that.
  std::optional<ForetoldLoss> foretold_loss{};
  std::string crd_file{};                  ///< whose CRD came with it; empty: none
  bool verified = false;                   ///< a last pass over all objects rewrote none
  std::vector<std::string> stored_before;  ///< status.storedVersions at the start
  std::vector<std::string> stored_after;   ///< the same at the end
  std::string kept_because;             ///< why storedVersions was left alone; empty: trimmed, or
                                        ///< nothing to trim
  std::string backup;                   ///< path; empty: none was needed or wanted
  std::uint64_t generations_moved = 0;  ///< objects that a mutating webhook changed
  /// Of all passes; absent where nothing was to be cleaned and it was not asked for.
  std::optional<ManagedFieldsCleaned> managed_fields_cleaned{};
  /// "namespace/name" or "name" of objects whose managedFields a write emptied, of all passes.
  std::set<std::string> managed_fields_emptied{};
  std::optional<MutationFacts> mutation{};  ///< where there is one
  std::optional<EngineFacts> engine{};      ///< where the server has one of its own
  double seconds = 0;

  /// All objects are migrated; but for some managedFields there is nothing to complain of.
  bool lost_managed_fields_alone() const {
    return outcome == Outcome::kFailures && !managed_fields_emptied.empty() && error.empty() &&
           failures.empty() && (verified || dry_run != DryRun::kNone);
  }

  void AddCleaned(const ManagedFieldsCleaned& cleaned) {
    if (cleaned.objects == 0 && !managed_fields_cleaned) return;
    managed_fields_cleaned.emplace(managed_fields_cleaned.value_or(ManagedFieldsCleaned())) +=
        cleaned;
  }
};

/// True if everything was rewritten before pruning was to be turned on, and the run ended there.
inline bool EndedBeforePruning(const CrdMigration& crd) {
  return crd.before_pruning && !crd.pruning_enabled && crd.outcome != Outcome::kDone;
}

/// Why --all does not take up a CRD that preserves unknown fields.
enum class LeftOutReason {
  kPreserves,  ///< a rewrite would prune nothing, and pruning is not to be turned on
  kBlocked,    ///< it is, and the server would refuse that
};

struct LeftOutCrd {
  std::string name;
  LeftOutReason reason = LeftOutReason::kPreserves;
};

struct MigrationReport {
  RunFacts run{};
  std::vector<CrdMigration> crds;      ///< in the order in which they were migrated
  std::vector<LeftOutCrd> left_out{};  ///< by --all, by name
  double seconds = 0;
};

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
