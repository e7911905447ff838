#include "plugin/migration/cluster_identity.h"

namespace plugin::migration {

bool ClusterIdentity::IsSameAs(const ClusterIdentity& other) const {
  if (!uid.empty() && !other.uid.empty()) return uid == other.uid;
  return !address.empty() && address == other.address;
}

// Behind two proxies, or two names of TLS, the same URL may be two servers.
std::string AddressOf(const std::string& context, const kube::config::Kubeconfig& kubeconfig) {
  const auto found = kubeconfig.contexts.find(context);
  if (found == kubeconfig.contexts.end()) return "";
  const auto cluster = kubeconfig.clusters.find(found->second.cluster);
  if (cluster == kubeconfig.clusters.end() || cluster->second.server.empty()) return "";
  std::string server = cluster->second.server;
  if (server.ends_with('/')) server.pop_back();
  return server + "\n" + cluster->second.proxy_url + "\n" + cluster->second.tls_server_name;
}

}  // namespace plugin::migration
