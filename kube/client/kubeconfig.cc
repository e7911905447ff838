#include "kube/client/kubeconfig.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

#include "kube/base/base64.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/kubeconfig_file.h"
#include "kube/client/pem.h"
#include "kube/client/server_address.h"
#include "kube/go/go_format.h"
#include "kube/json/json.h"
#include "kube/meta/make_field_error.h"

namespace kube::client {
namespace {

std::string FileOf(const base::Environment& environment, const char* name) {
  return (std::filesystem::path(environment.service_account_folder) / name).string();
}

// net.JoinHostPort: an IPv6 address is put in brackets.
std::string JoinHostPort(const std::string& host, const std::string& port) {
  if (host.find(':') == std::string::npos) return host + ":" + port;
  return "[" + host + "]:" + port;
}

void SetToken(const ConnectionFlags& flags, const base::Environment& environment,
              ConnectionConfig& config) {
  if (!flags.token.empty()) {
    config.token = flags.token;
    return;
  }
  config.token_file = FileOf(environment, "token");
  const auto token = base::ReadFileText(config.token_file);
  if (!token) throw base::Error("cannot use the service account: " + token.error().message);
  config.token = base::TrimSpace(*token);
}

// The system's certificates are trusted where the pod has none.
void SetAuthority(const ConnectionFlags& flags, const base::Environment& environment,
                  ConnectionConfig& config) {
  if (!flags.certificate_authority.empty()) {
    config.ca_pem = ReadCertificates(flags.certificate_authority);
    return;
  }
  const auto certificates = base::ReadFileText(FileOf(environment, "ca.crt"));
  if (certificates && !UsableCertificates(*certificates).empty()) config.ca_pem = *certificates;
}

}  // namespace

bool IsInCluster(const base::Environment& environment) {
  std::error_code ignored;
  const auto status = std::filesystem::status(FileOf(environment, "token"), ignored);
  return !environment.variable("KUBERNETES_SERVICE_HOST").empty() &&
         !environment.variable("KUBERNETES_SERVICE_PORT").empty() &&
         std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

ConnectionConfig InClusterConnection(const ConnectionFlags& flags,
                                     const base::Environment& environment) {
  ConnectionConfig config;
  config.server =
      ParseServerAddress("https://" + JoinHostPort(environment.variable("KUBERNETES_SERVICE_HOST"),
                                                   environment.variable("KUBERNETES_SERVICE_PORT")))
          .url;
  SetToken(flags, environment, config);
  SetAuthority(flags, environment, config);
  config.disable_compression = flags.disable_compression;
  return config;
}

std::optional<std::string> InClusterNamespace(const base::Environment& environment) {
  std::string name = environment.variable("POD_NAMESPACE");
  if (!name.empty()) return name;
  const auto text = base::ReadFileText(FileOf(environment, "namespace"));
  if (text) name = base::TrimSpace(*text);
  if (name.empty()) return std::nullopt;
  return name;
}

namespace {

using kube::go::GoQuote;

// A token that ends within this time is no longer used.
constexpr std::chrono::seconds kExpiryMargin{10};

std::string Setting(const AuthProvider& provider, const std::string& name) {
  const auto found = provider.config.find(name);
  return found == provider.config.end() ? "" : found->second;
}

base::Error NotConnected(const std::string& why) {
  return base::Error("Unable to connect to the server: " + why);
}

base::Error Removed(const std::string& name, const std::string& plugin, const std::string& page) {
  return base::Error("The " + name + " auth plugin has been removed.\nPlease use the " + plugin +
                     " kubectl/client-go credential plugin instead.\nSee " + page +
                     " for further details");
}

// The middle one of the three parts of a JSON Web Token.
std::string ClaimsOf(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (std::ranges::count(token, '.') != 2) throw NotConnected("ID Token is not a valid JWT");
  std::string encoded(token.substr(first + 1, last - first - 1));
  encoded.append((4 - encoded.size() % 4) % 4, '=');
  auto claims = base::DecodeBase64(encoded, base::Base64Alphabet::kUrl);
  if (!claims) throw NotConnected("ID Token is not a valid JWT: " + claims.error());
  return *std::move(claims);
}

// Seconds since 1970, as a number or in quotes; 0 where the token does not tell.
double ExpiryOf(std::string_view token) {
  json::Document claims;
  // What is wrong is not quoted: it is part of the token.
  if (claims.Parse(ClaimsOf(token)) || !claims.root().is_object()) {
    throw NotConnected("parsing claims: ID Token is not a JSON object");
  }
  const std::string_view text = claims.root().At("exp").text();
  double seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds;
}

}  // namespace

void CheckAuthProvider(const AuthProvider& provider) {
  if (provider.name == "gcp") {
    throw Removed("gcp", "\"gke-gcloud-auth-plugin\"",
                  "https://cloud.google.com/blog/products/containers-kubernetes/"
                  "kubectl-auth-changes-in-gke");
  }
  if (provider.name == "azure") {
    throw Removed("azure", "https://github.com/Azure/kubelogin",
                  "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
                  "#client-go-credential-plugins");
  }
  if (provider.name != "oidc") {
    throw base::Error("no Auth Provider found for name " + GoQuote(provider.name) +
                      "; give the user a credential plugin (exec) instead");
  }
  for (const char* setting : {"idp-issuer-url", "client-id"}) {
    if (Setting(provider, setting).empty())
      throw base::Error(std::string("Must provide ") + setting);
  }
}

std::string IdToken(const AuthProvider& provider, const std::string& user_name,
                    std::chrono::sys_seconds now) {
  const std::string token = Setting(provider, "id-token");
  const double end = static_cast<double>((now + kExpiryMargin).time_since_epoch().count());
  if (!token.empty() && end < ExpiryOf(token)) return token;
  if (Setting(provider, "refresh-token").empty()) {
    throw NotConnected("No valid id-token, and cannot refresh without refresh-token");
  }
  throw NotConnected("the id-token of user " + GoQuote(user_name) +
                     " has expired, and only kubectl renews it: run \"kubectl version\" as this "
                     "user, then this command again, or give the user a credential plugin (exec)");
}

namespace {

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
