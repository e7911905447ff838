#include "kube/client/kubeconfig.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "kube/base/ascii.h"
#include "kube/base/error.h"
#include "kube/base/file_text.h"
#include "kube/base/text.h"
#include "kube/client/auth_provider.h"
#include "kube/client/in_cluster.h"
#include "kube/client/kubeconfig_choice.h"
#include "kube/client/pem.h"
#include "kube/client/server_address.h"
#include "kube/go/go_format.h"
#include "kube/meta/make_field_error.h"

namespace kube::client {
namespace {

using kube::go::GoQuote;

// Empty names and those given before are left out.
std::vector<std::string> SplitPathList(std::string_view list) {
  std::vector<std::string> paths;
  while (true) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string path(list.substr(0, end));
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    if (end == list.size()) return paths;
    list.remove_prefix(end + 1);
  }
}

std::vector<std::string> KubeconfigPaths(const std::string& flag,
                                         const base::Environment& environment) {
  if (!flag.empty()) return {flag};
  const std::string list = environment.variable("KUBECONFIG");
  if (!list.empty()) return SplitPathList(list);
  return {(std::filesystem::path(environment.variable("HOME")) / ".kube" / "config").string()};
}

// std::map::merge leaves what is there already: the first file counts.
void Merge(Kubeconfig& first, Kubeconfig next) {
  if (first.current_context.empty()) first.current_context = std::move(next.current_context);
  first.clusters.merge(next.clusters);
  first.users.merge(next.users);
  first.contexts.merge(next.contexts);
}

base::Result<Kubeconfig, base::FileError> ReadKubeconfig(const std::string& path) {
  const auto text = base::ReadFileText(path);
  if (!text) return base::Unexpected(text.error());
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  auto kubeconfig = ParseKubeconfig(*text, folder);
  if (!kubeconfig) return base::Unexpected(base::FileError{false, kubeconfig.error()});
  return *std::move(kubeconfig);
}

void ThrowProblems(const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  if (problems.size() == 1) throw base::Error(problems[0]);
  throw base::Error("invalid configuration:\n* " + base::Join(problems, "\n* "));
}

std::string DefaultServer(const base::Environment& environment) {
  const std::string master = environment.variable("KUBERNETES_MASTER");
  return master.empty() ? "http://localhost:8080" : master;
}

// True where neither flags nor files say more than kubectl does by default. In kubectl
// impersonation alone counts as saying more.
bool SaysNothing(const KubeconfigChoice& choice, const ConnectionFlags& flags,
                 const std::string& default_server) {
  return flags.server.empty() && choice.cluster.server == default_server &&
         !ParseServerAddress(default_server).is_tls && choice.cluster.proxy_url.empty() &&
         choice.user.impersonation.user.empty();
}

void SetTrust(const KubeconfigChoice& choice, ConnectionConfig& config) {
  const KubeconfigCluster& cluster = choice.cluster;
  config.tls_server_name = cluster.tls_server_name;
  config.insecure_skip_tls_verify = cluster.insecure_skip_tls_verify;
  const bool has_authority =
      !cluster.certificate_authority.empty() || !cluster.certificate_authority_data.empty();
  if (cluster.insecure_skip_tls_verify && has_authority) {
    throw base::Error("specifying a root certificates file with the insecure flag is not allowed");
  }
  config.ca_pem = cluster.certificate_authority_data;
  if (!cluster.certificate_authority.empty()) {
    config.ca_pem = ReadCertificates(cluster.certificate_authority);
  } else if (!config.ca_pem.empty() && UsableCertificates(config.ca_pem).empty()) {
    throw base::Error("unable to load root certificates of cluster " +
                      GoQuote(choice.cluster_name) + ": unable to parse bytes as PEM block");
  }
}

std::string DataOrFile(const std::string& data, const std::string& path) {
  if (!data.empty()) return data;
  auto text = base::ReadFileText(path);
  if (!text) throw base::Error(text.error().message);
  return *std::move(text);
}

void SetCertificate(const KubeconfigChoice& choice, ConnectionConfig& config) {
  const KubeconfigUser& user = choice.user;
  if (user.client_certificate.empty() && user.client_certificate_data.empty()) return;
  config.client_certificate_pem = DataOrFile(user.client_certificate_data, user.client_certificate);
  config.client_key_pem = DataOrFile(user.client_key_data, user.client_key);
  const std::string of_user = " of user " + GoQuote(choice.user_name);
  if (const auto problem = KeyPairProblem(config.client_certificate_pem, config.client_key_pem)) {
    throw base::Error(*problem + of_user);
  }
}

// A token beside the file is what counts while the file cannot be read.
void SetToken(const KubeconfigUser& user, ConnectionConfig& config) {
  config.token = user.token;
  config.token_file = user.token_file;
  if (!config.token.empty() || config.token_file.empty()) return;
  const auto text = base::ReadFileText(config.token_file);
  if (!text) throw base::Error("cannot read the tokenFile: " + text.error().message);
  config.token = base::TrimSpace(*text);
  if (config.token.empty())
    throw base::Error("the tokenFile " + config.token_file + " holds no token");
}

void SetBasic(const KubeconfigUser& user, ConnectionConfig& config) {
  if (user.username.empty()) return;
  if (!config.token.empty()) {
    throw base::Error("username/password or bearer token may be set, but not both");
  }
  config.username = user.username;
  config.password = user.password;
}

// It is asked only where nothing else gives the requests an Authorization header.
void SetIdToken(const KubeconfigChoice& choice, ConnectionConfig& config) {
  const KubeconfigUser& user = choice.user;
  if (!user.auth_provider) return;
  CheckAuthProvider(*user.auth_provider);
  if (!config.token.empty() || !user.username.empty()) return;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  config.token = IdToken(*user.auth_provider, choice.user_name, now);
}

// kubectl would ask for a user name.
base::Error NoCredentials(const KubeconfigChoice& choice, const ConnectionConfig& config) {
  const std::string text = "no credentials for the server " + config.server + ": ";
  if (choice.user_name.empty())
    return base::Error(text + "neither a context nor --user names a user");
  return base::Error(text + "user " + GoQuote(choice.user_name) +
                     " has no token, client certificate, user name or credential plugin");
}

void SetCredentials(const KubeconfigChoice& choice, ConnectionConfig& config) {
  const KubeconfigUser& user = choice.user;
  SetToken(user, config);
  SetCertificate(choice, config);
  SetBasic(user, config);
  SetIdToken(choice, config);
  const bool is_identified =
      !config.token.empty() || !config.username.empty() || !config.client_certificate_pem.empty();
  if (is_identified) return;
  if (!user.exec) throw NoCredentials(choice, config);
  config.exec = user.exec;
  config.exec->cluster_config = choice.cluster.exec_extension;
}

// Go's HTTP client takes them from the URL, whatever else there is, on http too.
void SetUrlCredentials(const ServerAddress& server, ConnectionConfig& config) {
  if (server.username.empty() && server.password.empty()) return;
  config.token.clear();
  config.token_file.clear();
  config.username = server.username;
  config.password = server.password;
}

ConnectionConfig Connect(const KubeconfigChoice& choice) {
  const ServerAddress server = ParseServerAddress(choice.cluster.server);
  ConnectionConfig config;
  config.server = server.url;
  config.context = choice.context_name;
  config.proxy_url = choice.cluster.proxy_url;
  config.disable_compression = choice.cluster.disable_compression;
  config.impersonation = choice.user.impersonation;
  if (server.is_tls) {
    SetTrust(choice, config);
    SetCredentials(choice, config);
    if (config.exec) config.exec->server = server.url_as_written;
  }
  SetUrlCredentials(server, config);
  return config;
}

std::string Namespace(const KubeconfigChoice& choice, const base::Environment& environment) {
  if (!choice.context.namespace_.empty()) return choice.context.namespace_;
  if (!IsInCluster(environment)) return "default";
  return InClusterNamespace(environment).value_or("default");
}

}  // namespace

Kubeconfig LoadKubeconfig(const std::string& kubeconfig_flag,
                          const base::Environment& environment) {
  Kubeconfig all;
  std::vector<std::string> problems;
  for (const std::string& path : KubeconfigPaths(kubeconfig_flag, environment)) {
    auto one = ReadKubeconfig(path);
    if (one) {
      Merge(all, *std::move(one));
    } else if (!one.error().missing || !kubeconfig_flag.empty()) {
      problems.push_back("error loading config file \"" + path + "\": " + one.error().message);
    }
  }
  if (!problems.empty()) throw base::Error(base::Join(problems, "\n"));
  return all;
}

ConnectionConfig LoadConnection(const ConnectionFlags& flags,
                                const base::Environment& environment) {
  const Kubeconfig kubeconfig = LoadKubeconfig(flags.kubeconfig, environment);
  const std::string default_server = DefaultServer(environment);
  const KubeconfigChoice choice = ChooseFromKubeconfig(kubeconfig, flags, default_server);
  ThrowProblems(KubeconfigProblems(choice));
  ConnectionConfig config = SaysNothing(choice, flags, default_server) && IsInCluster(environment)
                                ? InClusterConnection(flags, environment)
                                : Connect(choice);
  config.namespace_ = Namespace(choice, environment);
  config.request_timeout = flags.request_timeout;
  config.connections = flags.connections;
  return config;
}

}  // namespace kube::client
