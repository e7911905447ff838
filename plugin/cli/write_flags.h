#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/report/migration_report.h"

/// Values of the flags of commands that write objects. Each throws UsageError of `command`.
namespace plugin::cli {

/// What --dry-run alone stands for, as in kubectl (cmdutil.AddDryRunFlag).
inline constexpr std::string_view kBareDryRun = "unchanged";

struct DryRunChoice {
  migrate::report::DryRun strategy = migrate::report::DryRun::kNone;
  std::string warning;  ///< how a deprecated form should be written; empty: it was none
};

DryRunChoice ParseDryRun(std::string_view command, const std::string& value);

/// Of --max-rate; empty: no limit, which is 0.
double ParseMaxRate(std::string_view command, const std::string& value);

/// --lease-namespace and --lease-timeout, of which the latter may be empty: `timeout` stays.
void FinishLeaseFlags(std::string_view command, const std::string& lease_namespace,
                      const std::string& value, std::chrono::nanoseconds& timeout);

/// --concurrency is at least 1, where it is given.
void RequireConcurrency(std::string_view command, std::optional<int> concurrency);

/// --connections is 1 to kube::client::kMostConnections.
void RequireConnections(std::string_view command, int connections);

}  // namespace plugin::cli
