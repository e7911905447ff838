#include "plugin/cli/restore_options.h"

#include "plugin/cli/usage_error.h"

namespace plugin::cli {

void FinishRestoreOptions(RestoreOptions& options, const RawRestoreValues& raw) {
  options.dry_run = ParseDryRun("restore", raw.dry_run);
  options.max_rate = ParseMaxRate("restore", raw.max_rate);
  FinishLeaseFlags("restore", options.lease_namespace, raw.lease_timeout, options.lease_timeout);
  RequireConcurrency("restore", options.concurrency);
  if (options.recreate && !options.fields.empty()) {
    throw UsageError("restore",
                     "--fields and --recreate cannot be specified together: what is made anew is "
                     "made whole");
  }
}

bool NamesObjects(const RestoreOptions& options) {
  return options.output == terminal::OutputFormat::kWide ||
         options.dry_run.strategy == migrate::report::DryRun::kClient;
}

}  // namespace plugin::cli
