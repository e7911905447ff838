#include "plugin/flags/restore_options.h"

namespace plugin::flags {

void FinishRestoreOptions(RestoreOptions& options, const RawRestoreValues& raw) {
  options.dry_run = ParseDryRun("restore", raw.dry_run);
  options.max_rate = ParseMaxRate("restore", raw.max_rate);
  RequireConcurrency("restore", options.concurrency);
}

bool NamesObjects(const RestoreOptions& options) {
  return options.output == OutputFormat::kWide ||
         options.dry_run.strategy == migrate::report::DryRun::kClient;
}

}  // namespace plugin::flags
