#pragma once

#include <chrono>
#include <map>
#include <string>
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

}  // namespace kube::client
