#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "migrate/check/object_mutation.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/migration/turn_pruning_on.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/retried_objects.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::migration {

struct MigrationOptions {
  std::vector<std::string> crd_names{};  ///< in any form kubectl knows
  bool all = false;                      ///< --all, in the place of names
  std::string crd_selector{};            ///< with `all`: only CRDs with these labels
  bool enable_pruning = false;
  /// Files whose CRDs come with pruning, with `enable_pruning`; without `crd_names` of all in them.
  std::vector<std::string> filenames{};
  bool recursive = false;
  PruningOptions pruning{};  ///< how it is turned on, with `enable_pruning`
  report::DryRun dry_run = report::DryRun::kNone;
  cluster::ObjectSelection objects{};
  std::uint64_t most_in_one_piece = 0;  ///< as SweepOptions::most_in_one_piece
  rewrite::Pace pace{};                 ///< of all passes
  bool verify = true;
  report::Engine engine = report::Engine::kOwn;
  /// As ClusterEngineOptions::patience.
  std::chrono::nanoseconds engine_timeout = std::chrono::minutes(5);
  bool keep_stored_versions = false;
  /// Changes objects as they are written, and where pruning is turned on before that; the null
  /// pointer: there is none.
  std::shared_ptr<const check::ObjectMutation> mutation{};
  cluster::Cleaning cleaning = cluster::Cleaning::kAuto;
  std::filesystem::path state_dir;
  bool record = false;  ///< what was proven is written into the CRD, as an annotation
  /// The objects of --retry-from; present: only these are rewritten.
  std::optional<std::vector<rewrite::RetriedObject>> retried{};
  /// Only what failed in the last run over each CRD is rewritten, as `state_dir` tells: of the CRDs
  /// that are named, else of all.
  bool retry_failed = false;
  LeaseOptions lease{};  ///< by which runs know of each other; not of a dry run
};

/// Migrates CRDs of a cluster one after the other, each with its own account; what fails for one
/// does not keep the others from being migrated. crd_migration.cc has the order of steps for each;
/// the CRD is watched meanwhile (crd_guard.h).
///
/// Throws kube::base::Error if the server cannot be reached, if CRDs cannot be listed, and for a
/// name that no CRD, or more than one, answers to; nothing is written then.
report::MigrationReport Migrate(const MigrationOptions& options,
                                const rewrite::MigrationSession& session);

}  // namespace migrate::migration
