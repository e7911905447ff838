#pragma once

#include <optional>
#include <string>

#include "kube/config/connection.h"
#include "kube/config/connection_flags.h"
#include "kube/system/environment.h"

/// What a pod knows about its own cluster (client-go's rest.InClusterConfig).
namespace kube::config {

/// True in a pod that has a service account's token.
bool IsInCluster(const system::Environment& environment);

/// Connects as the pod's service account; of the flags only the token and the certificate authority
/// count. Only where IsInCluster. Throws kube::base::Error where the token cannot be read.
ConnectionConfig InClusterConnection(const ConnectionFlags& flags,
                                     const system::Environment& environment);

/// $POD_NAMESPACE, else the service account's namespace; absent where there is none.
std::optional<std::string> InClusterNamespace(const system::Environment& environment);

}  // namespace kube::config
