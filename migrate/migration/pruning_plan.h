#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/object_mutation.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/migration/admission_webhooks.h"
#include "migrate/migration/dry_run_writes.h"
#include "migrate/report/check_report.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_state.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::migration {

struct DryRunOptions {
  std::int64_t chunk_size = 500;
  std::function<void(const cluster::ListProgress&)> on_progress{};
  /// Is applied to the objects before; the null pointer: there is none.
  std::shared_ptr<const check::ObjectMutation> mutation{};
};

/// What turning pruning on would do to the objects of a CRD.
struct PruningDryRun {
  report::CrdReport report;                            ///< as `check` makes it
  std::uint64_t backup_objects = 0, backup_bytes = 0;  ///< of a backup made now
  std::vector<rewrite::LosingObject> losing;
  std::uint64_t mutated = 0;   ///< objects that the mutation changes
  std::string mutation_error;  ///< of one that it cannot be applied to; empty: there is none
  std::string write_version;   ///< that of the migration's writes
  ObjectSizes sizes;
  std::string error;  ///< the objects could not be read to their end: why
};

/// Reads the objects, one list for all versions.
PruningDryRun DryRunPruning(const check::LiveCrd& crd, const check::RewriteForecast& forecast,
                            const DryRunOptions& options, const kube::client::Session& session);

/// What is to be said before pruning is turned on.
struct PruningPlan {
  const PruningDryRun& dry_run;
  const UpdateWebhooks& webhooks;
  std::string gitops_owner{};    ///< as check::FindGitOpsOwner
  bool rewrites_before = false;  ///< everything once before pruning is turned on
  bool in_one_pass = false;  ///< objects may be stored in older versions when pruning is turned on
  bool verifies = true;      ///< everything once more after pruning is on
  rewrite::Pace pace{};
  report::WriteCost cost{};          ///< of one write
  std::string backup{};              ///< where it is to be; empty: there is to be none
  std::string crd_file{};            ///< as PruningRun::crd_file
  std::string mutation{};            ///< its files; empty: there is none
  bool keeps_managed_fields = true;  ///< writes carry entries for which a server empties all
};

/// What the writes take in all passes, as the costs are as a rule, in seconds.
double EstimateWrites(const PruningPlan& plan);

/// "1874 objects, 4.1 MiB".
std::string DescribeSize(std::uint64_t objects, std::uint64_t bytes);

/// The plan for people, a line each, warnings at the end.
std::vector<std::string> DescribePlan(const PruningPlan& plan);

/// The same for the report; nobody has agreed yet.
report::ForetoldLoss ForetellLoss(const PruningPlan& plan);

}  // namespace migrate::migration
