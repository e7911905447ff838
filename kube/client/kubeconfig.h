#pragma once

#include "kube/base/environment.h"
#include "kube/client/connection.h"
#include "kube/client/connection_flags.h"
#include "kube/client/kubeconfig_file.h"

namespace kube::client {

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
