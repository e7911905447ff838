#pragma once

#include <string>
#include <string_view>

#include "plugin/flags/options.h"

namespace plugin::flags {

/// What --dry-run alone stands for, as in kubectl (cmdutil.AddDryRunFlag).
inline constexpr std::string_view kBareDryRun = "unchanged";

/// Values of flags of migrate that are read further once all flags are known.
struct RawMigrateValues {
  std::string dry_run = "none";
  std::string max_rate;        ///< empty: not given
  std::string settle_timeout;  ///< empty: not given
};

/// Completes what the flags set, and refuses what cannot go together. Throws UsageError.
void FinishMigrateOptions(MigrateOptions& options, const RawMigrateValues& raw);

}  // namespace plugin::flags
