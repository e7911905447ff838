#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kube/base/environment.h"
#include "kube/client/connection.h"
#include "kube/client/kubeconfig_file.h"

namespace kube::client {

// What a pod knows about its own cluster (client-go's rest.InClusterConfig).

/// True in a pod that has a service account's token.
bool IsInCluster(const base::Environment& environment);

/// Connects as the pod's service account; of the flags only the token and the certificate authority
/// count. Only where IsInCluster. Throws kube::base::Error where the token cannot be read.
ConnectionConfig InClusterConnection(const ConnectionFlags& flags,
                                     const base::Environment& environment);

/// $POD_NAMESPACE, else the service account's namespace; absent where there is none.
std::optional<std::string> InClusterNamespace(const base::Environment& environment);

/// Throws kube::base::Error, in kubectl's words, where kubectl 1.32 has no such provider (gcp and
/// azure are gone, oidc is left) or its configuration lacks what it must have.
void CheckAuthProvider(const AuthProvider& provider);

/// The bearer token of an oidc provider: its id-token. Throws kube::base::Error where there is
/// none, or it is not valid at `now`. Unlike kubectl it asks no identity provider for a new one;
/// the text tells how to have it renewed. Never holds the token.
std::string IdToken(const AuthProvider& provider, const std::string& user_name,
                    std::chrono::sys_seconds now);

/// How to reach the server that kubectl 1.32 would reach, and as whom: the flags go before the
/// kubeconfig's context, and where both say nothing a pod's service account is used, else
/// http://localhost:8080 ($KUBERNETES_MASTER). Certificates and keys are read; a credential plugin
/// is not run.
///
/// Throws kube::base::Error in kubectl's words where the configuration cannot be used, without
/// secrets. Unlike kubectl it never asks for a user name, and neither a request timeout nor turning
/// compression off keeps a pod from using its service account.
ConnectionConfig LoadConnection(const ConnectionFlags& flags, const base::Environment& environment);

/// What the kubeconfigs say together: that of --kubeconfig alone, else those of $KUBECONFIG, else
/// ~/.kube/config; only the first must exist. Of equal names, and for the current context, the
/// first file counts. Paths are absolute. Throws kube::base::Error that names each file that cannot
/// be read.
Kubeconfig LoadKubeconfig(const std::string& kubeconfig_flag, const base::Environment& environment);

}  // namespace kube::client
