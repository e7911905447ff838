#pragma once

#include <string>
#include <vector>

#include "kube/client/connection.h"
#include "kube/client/kubeconfig_file.h"

namespace kube::client {

/// The context, cluster and user that count, with the flags in them.
struct KubeconfigChoice {
  std::string context_name;             ///< empty: none
  std::string cluster_name, user_name;  ///< for messages; may be empty
  KubeconfigContext context;
  KubeconfigCluster cluster;  ///< always with a server
  KubeconfigUser user;
};

/// Chooses as clientcmd's DirectClientConfig. Throws kube::base::Error where a flag or the current
/// context names what is not there, e.g. `context "x" does not exist`. A context may name what is
/// not there.
KubeconfigChoice ChooseFromKubeconfig(const Kubeconfig& kubeconfig, const ConnectionFlags& flags,
                                      const std::string& default_server);

/// What keeps `choice` from being used, in clientcmd's words and order. Looks whether the files
/// that it names can be opened.
std::vector<std::string> KubeconfigProblems(const KubeconfigChoice& choice);

}  // namespace kube::client
