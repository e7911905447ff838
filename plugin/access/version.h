#pragma once

#include <string>
#include <string_view>

namespace plugin::access {

/// The version of this program, e.g. "v0.1.0".
extern const std::string_view kVersion;

/// The User-Agent header of its requests (kube/client/user_agent.h).
std::string UserAgent();

}  // namespace plugin::access
