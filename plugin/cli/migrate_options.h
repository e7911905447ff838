#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "migrate/cluster/stale_entries.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/report/migration_report.h"
#include "plugin/cli/fleet_flags.h"
#include "plugin/cli/options.h"

namespace plugin::cli {

struct MigrateOptions {
  CommonOptions common;
  InputOptions input;
  /// With --local kYaml or kJson; else kTable (for people), kJson, kYaml, kName or kTemplate.
  terminal::OutputFormat output = terminal::OutputFormat::kTable;
  terminal::TemplateOutput output_template;  ///< only with kTemplate
  bool show_managed_fields = false;          ///< with --local
  std::vector<std::string> mutations;        ///< files of mutation trees
  bool enable_pruning = false;               ///< with --local: as if preserveUnknownFields were off

  // Without --local, migrate/migration/migration.h says what they mean:
  bool all = false;
  std::string crd_selector;
  ObjectOptions objects;
  bool yes = false;  ///< turns pruning on without asking
  migrate::report::DryRun dry_run = migrate::report::DryRun::kNone;
  std::string dry_run_warning;  ///< how a deprecated form should be written; empty: it was none
  std::optional<int> concurrency{};
  double max_rate = 0;
  bool verify = true;
  migrate::report::Engine engine = migrate::report::Engine::kOwn;
  std::chrono::nanoseconds engine_timeout = std::chrono::minutes(5);
  bool keep_stored_versions = false;
  migrate::cluster::Cleaning cleaning = migrate::cluster::Cleaning::kAuto;
  bool single_pass = false;
  std::string backup_dir;  ///< empty: the default
  bool no_backup = false;
  bool rewrite_unbacked = false;
  std::chrono::nanoseconds settle_timeout = std::chrono::minutes(2);
  std::string state_dir;      ///< empty: the default
  bool record = false;        ///< what was proven is written into the CRD
  std::string retry_from;     ///< a file; empty: not given
  bool retry_failed = false;  ///< what failed in the last run over each CRD
  FleetOptions fleet;
  std::string lease_namespace{migrate::migration::kLeaseNamespace};
  std::chrono::nanoseconds lease_timeout{};  ///< as migrate::migration::LeaseOptions::wait
};

/// Values of flags of migrate that are read further once all flags are known.
struct RawMigrateValues {
  std::string dry_run = "none";
  std::string max_rate;        ///< empty: not given
  std::string settle_timeout;  ///< empty: not given
  std::string engine = "own";
  std::string clean_managed_fields = "auto";
  std::string engine_timeout;  ///< empty: not given
  std::string lease_timeout;   ///< empty: not given
};

/// Completes what the flags set, and refuses what cannot go together. Throws UsageError.
void FinishMigrateOptions(MigrateOptions& options, const RawMigrateValues& raw);

/// Refuses what means something for a single cluster, or without one. Throws UsageError.
void RequireMigrationOfMany(const MigrateOptions& options);

}  // namespace plugin::cli
