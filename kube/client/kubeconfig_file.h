#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/client/connection.h"

namespace kube::client {

/// `cluster` of a kubeconfig (clientcmd's api/v1). Empty: not written.
struct KubeconfigCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;       ///< a path
  std::string certificate_authority_data;  ///< decoded
  std::string proxy_url;
  bool disable_compression = false;
  std::string exec_extension;  ///< JSON of client.authentication.k8s.io/exec
};

/// `auth-provider` of a user. Holds secrets: never print its configuration.
struct AuthProvider {
  std::string name;
  std::map<std::string, std::string> config;
};

/// `user` of a kubeconfig. Holds secrets: never print it.
struct KubeconfigUser {
  std::string client_certificate;  ///< a path, as client_key and token_file
  std::string client_certificate_data;
  std::string client_key;
  std::string client_key_data;
  std::string token;
  std::string token_file;
  std::string username, password;
  Impersonation impersonation;
  std::optional<AuthProvider> auth_provider;
  std::optional<ExecConfig> exec;
};

/// `context` of a kubeconfig.
struct KubeconfigContext {
  std::string cluster, user, namespace_;
};

/// What one or several kubeconfigs say, by name.
struct Kubeconfig {
  std::string current_context;
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
};

/// Reads the YAML or JSON of a kubeconfig; relative paths in it are below `folder`. An empty text
/// is an empty kubeconfig, and unknown fields are passed over. The error says what is wrong where,
/// e.g. `line 3, column 1: ...` or `users[0].user.token: json: cannot unmarshal number into ...`;
/// no value of the text is in it.
base::Result<Kubeconfig, std::string> ParseKubeconfig(std::string_view text,
                                                      const std::string& folder);

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
