#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kube::client {

/// What kubectl's global flags say about the connection (cli-runtime's ConfigFlags): it goes before
/// what the kubeconfig says. Empty, false and 0 are as good as not given, as they are for kubectl.
/// Holds secrets: never print it.
struct ConnectionFlags {
  std::string kubeconfig;  ///< the only file to read
  std::string context, cluster, user;
  std::string namespace_;

  std::string server;  ///< without --tls-server-name, the kubeconfig's tls-server-name is dropped
  std::string tls_server_name;
  std::string certificate_authority;
  bool insecure_skip_tls_verify = false;
  bool disable_compression = false;

  std::string client_certificate, client_key;
  std::string token;
  std::string username, password;

  std::string as, as_uid;
  std::vector<std::string> as_groups;
  std::map<std::string, std::vector<std::string>> as_user_extra;

  std::chrono::nanoseconds request_timeout{};  ///< 0: none
  int connections = 1;                         ///< as ConnectionConfig::connections
};

/// Whom the server shall take us for (rest.ImpersonationConfig); nobody else if `user` is empty.
struct Impersonation {
  std::string user, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// Our certificate with its key, PEM; both or none. Holds a secret: never print it.
struct ClientCertificate {
  std::string certificate_pem, key_pem;

  bool operator==(const ClientCertificate&) const = default;
};

/// A command that gives credentials (client.authentication.k8s.io), as the kubeconfig describes it.
struct ExecConfig {
  std::string command;  ///< a relative path was resolved against the kubeconfig's folder
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string api_version;
  std::string install_hint;
  std::string interactive_mode;  ///< "Never", "IfAvailable" or "Always"
  bool provide_cluster_info = false;
  std::string server;          ///< the cluster's, as written but for user, query and escapes
  std::string cluster_config;  ///< JSON of the cluster's exec extension; empty: none
};

/// TCP connections to one server at most. Further requests wait for their turn; over HTTP/2 one
/// connection carries a hundred.
inline constexpr int kMostConnections = 32;

/// How to reach a server and who we are: client-go's rest.Config, once kubeconfig, flags and
/// environment have been brought together. Holds secrets: never print it.
struct ConnectionConfig {
  std::string server;   ///< "https://10.0.0.1:6443/prefix"; no user in it, no slash at its end
  std::string context;  ///< the name of the kubeconfig's context; empty: none counts
  std::string tls_server_name;  ///< for SNI and verification; empty: the server's host
  bool insecure_skip_tls_verify = false;
  std::string ca_pem;  ///< certificates to trust; empty: the system's
  std::string client_certificate_pem, client_key_pem;  ///< both or none
  std::string token;
  std::string token_file;  ///< read again as it changes; goes before `token` while it can be read
  std::string username, password;  ///< only if there is no token
  std::optional<ExecConfig> exec;  ///< only if nothing above says who we are
  Impersonation impersonation;
  std::string proxy_url;  ///< empty: the environment's proxy
  bool disable_compression = false;
  std::string namespace_ = "default";          ///< of -n, the context, or the pod
  std::chrono::nanoseconds request_timeout{};  ///< 0: none
  /// Over how many TCP connections requests of HTTP/2 that are in flight together are spread, 1 to
  /// kMostConnections.
  int connections = 1;
};

}  // namespace kube::client
