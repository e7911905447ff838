#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "migrate/migration/crd_lease.h"
#include "migrate/report/migration_report.h"
#include "plugin/cli/options.h"
#include "plugin/cli/write_flags.h"

namespace plugin::cli {

/// Without the objects that are named; migrate/restore/restore.h says what the others mean.
struct RestoreOptions {
  CommonOptions common;
  std::string backup;
  /// kTable (for people), kWide (the same, object by object), kJson, kYaml, kName or kTemplate.
  terminal::OutputFormat output = terminal::OutputFormat::kTable;
  terminal::TemplateOutput output_template;  ///< only with kTemplate
  ObjectOptions objects;
  std::string pruned_by;            ///< empty: the file beside the backup
  std::vector<std::string> fields;  ///< paths; none: all
  bool overwrite = false;
  bool recreate = false;
  DryRunChoice dry_run;
  std::optional<int> concurrency{};
  double max_rate = 0;
  bool verify = true;
  std::string lease_namespace{migrate::migration::kLeaseNamespace};
  std::chrono::nanoseconds lease_timeout{};  ///< as migrate::migration::LeaseOptions::wait
};

/// Values of flags of restore that are read further once all flags are known.
struct RawRestoreValues {
  std::string dry_run = "none";
  std::string max_rate;       ///< empty: not given
  std::string lease_timeout;  ///< empty: not given
};

/// Completes what the flags set. Throws UsageError.
void FinishRestoreOptions(RestoreOptions& options, const RawRestoreValues& raw);

/// What one object after the other is told of: with -o wide, and where nothing is written.
bool NamesObjects(const RestoreOptions& options);

}  // namespace plugin::cli
