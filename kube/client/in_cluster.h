#pragma once

#include <optional>
#include <string>

#include "kube/base/environment.h"
#include "kube/client/connection.h"
#include "kube/client/connection_flags.h"

/// What a pod knows about its own cluster (client-go's rest.InClusterConfig).
namespace kube::client {

/// True in a pod that has a service account's token.
bool IsInCluster(const base::Environment& environment);

/// Connects as the pod's service account; of the flags only the token and the certificate authority
/// count. Only where IsInCluster. Throws kube::base::Error where the token cannot be read.
ConnectionConfig InClusterConnection(const ConnectionFlags& flags,
                                     const base::Environment& environment);

/// $POD_NAMESPACE, else the service account's namespace; absent where there is none.
std::optional<std::string> InClusterNamespace(const base::Environment& environment);

}  // namespace kube::client
