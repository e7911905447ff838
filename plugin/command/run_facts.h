#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "migrate/report/program_name.h"

namespace plugin::command {

/// The version of this program, e.g. "v0.1.0".
extern const std::string_view kVersion;

/// The commit that it was built from, as git writes it; empty: not known (commit.cmake).
extern const std::string_view kCommit;
/// Whether files that git knows were not as that commit has them.
extern const bool kHasUncommittedChanges;

/// The User-Agent header of its requests (kube/client/client.h).
std::string UserAgent();

/// The time of day, for what a report says of when it was made.
std::chrono::sys_seconds TimeOfDay();
/// The same, RFC 3339.
std::string TimeOfDayText();

/// Of a report that is made at `time` without a cluster; ClusterAccess::FactsAt knows that.
migrate::report::RunFacts LocalFactsAt(std::chrono::sys_seconds time);

}  // namespace plugin::command
