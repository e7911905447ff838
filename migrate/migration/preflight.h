#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/crd/crd.h"
#include "migrate/check/crd_request.h"
#include "migrate/report/migration_report.h"

namespace migrate::migration {

struct PreflightOptions {
  bool enable_pruning = false;
  report::DryRun dry_run = report::DryRun::kNone;
  std::string namespace_{};  ///< only objects of this namespace; empty: all
  bool by_name = false;      ///< objects are read one by one, not listed
  bool backs_up = true;      ///< where pruning is turned on: a backup is made
  bool cleans = false;       ///< objects with stale managedFields are read before they are written
  bool may_clean = false;    ///< the same, but where the right to read them is missing they are not
  bool mutates = false;  ///< objects are changed, which is of use where they are not pruned, too
  bool trims = true;     ///< status.storedVersions may be trimmed at the end
  /// Asks for what is needed to have the cluster's own engine rewrite the objects.
  bool asks_for_engine = false;
  bool needs_engine = false;    ///< with it: without that nothing is migrated
  std::string own_migration{};  ///< name of the StorageVersionMigration that a run of ours makes
  std::string pruning_patch = check::kTurnPruningOn;  ///< by which pruning is turned on
};

/// The rest counts where there is no refusal.
struct Preflight {
  /// Why the CRD is not migrated, and what to do next; empty: it is.
  std::string refusal;
  std::string version;     ///< to write objects in: the storage version, else one that is served
  bool by_update = false;  ///< SweepTarget::by_update
  bool may_not_clean = false;  ///< with `may_clean`: objects cannot be read
  std::string kept_because;    ///< why storedVersions cannot be trimmed; empty: it can
  std::string engine_version;  ///< of storagemigration.k8s.io; empty: the server does not serve it
  /// With `asks_for_engine`: why it cannot be used, though it is served; empty: it can.
  std::string engine_missing;
  bool has_own_migration = false;     ///< `own_migration` is there
  std::vector<std::string> warnings;  ///< one line each
};

/// Finds out, before anything is written, whether the CRD at `target` can be migrated: that it is
/// served, structural where pruning is on or is to be turned on, that nobody else migrates it, that
/// we have the rights, and, where pruning is to be turned on, that the server would do it: it is
/// asked by a dry run, and its refusal shown in its own words.
///
/// With DryRun::kClient nothing is written, not even as a dry run; rights are asked for all the
/// same (by a POST that creates nothing).
Preflight CheckBefore(const kube::crd::Crd& crd, const std::string& target,
                      const PreflightOptions& options, kube::client::Client& client);

}  // namespace migrate::migration
