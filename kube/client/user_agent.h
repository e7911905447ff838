#pragma once

#include <string>
#include <string_view>

namespace kube::client {

/// The User-Agent header as client-go makes it: "kubectl-prune/v0.1.0 (linux/amd64)
/// kubernetes/unknown". Of `version` what stands before the first "-" is taken; empty is "unknown".
/// No commit of Kubernetes is in this program, hence the last word.
std::string UserAgent(std::string_view command, std::string_view version);

}  // namespace kube::client
