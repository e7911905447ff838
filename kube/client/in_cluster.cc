#include "kube/client/in_cluster.h"

#include <filesystem>

#include "kube/base/ascii.h"
#include "kube/base/error.h"
#include "kube/base/file_text.h"
#include "kube/client/pem.h"
#include "kube/client/server_address.h"

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

}  // namespace kube::client
