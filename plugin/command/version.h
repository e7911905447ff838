#pragma once

#include <string>
#include <string_view>

namespace plugin::command {

/// The version of this program, e.g. "v0.1.0".
extern const std::string_view kVersion;

/// The commit that it was built from, as git writes it; empty: not known (commit.cmake).
extern const std::string_view kCommit;
/// Whether files that git knows were not as that commit has them.
extern const bool kHasUncommittedChanges;

/// The User-Agent header of its requests (kube/client/user_agent.h).
std::string UserAgent();

}  // namespace plugin::command
