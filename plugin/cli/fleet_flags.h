#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/flag_set.h"
#include "plugin/cli/options.h"

/// The flags by which a command works on several clusters side by side.
namespace plugin::cli {

struct FleetOptions {
  /// Names and patterns of contexts, and @FILE; empty: the command works on one cluster, or none.
  std::vector<std::string> contexts{};
  int parallel = 10;  ///< how many clusters at once, at least 1
};

void AddFleetFlags(FlagSet& flags, FleetOptions& options);

/// Throws UsageError for a number of clusters below 1, a fleet without a name, and beside a fleet
/// for each flag that says of a single cluster where it is or who we are there.
void FinishFleet(std::string_view command, const FleetOptions& options,
                 const kube::client::ConnectionFlags& connection, const FlagSet& flags);

/// Throws UsageError for files of -f that can be read but once, by the first cluster alone.
void RequireFilesForMany(std::string_view command, const InputOptions& input);

}  // namespace plugin::cli
