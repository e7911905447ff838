#include "kube/config/in_cluster.h"

#include <filesystem>

#include "kube/base/ascii.h"
#include "kube/base/error.h"
#include "kube/config/pem.h"
#include "kube/config/server_address.h"
#include "kube/system/file_text.h"

namespace kube::config {
namespace {

std::string FileOf(const system::Environment& environment, const char* name) {
  return (std::filesystem::path(environment.service_account_folder) / name).string();
}

// net.JoinHostPort: an IPv6 address is put in brackets.
std::string JoinHostPort(const std::string& host, const std::string& port) {
  if (host.find(':') == std::string::npos) return host + ":" + port;
  return "[" + host + "]:" + port;
}

void SetToken(const ConnectionFlags& flags, const system::Environment& environment,
              ConnectionConfig& config) {
  if (!flags.token.empty()) {
    config.token = flags.token;
    return;
  }
  config.token_file = FileOf(environment, "token");
  const auto token = system::ReadFileText(config.token_file);
  if (!token) throw base::Error("cannot use the service account: " + token.error().message);
  config.token = base::TrimSpace(*token);
}

// The system's certificates are trusted where the pod has none.
void SetAuthority(const ConnectionFlags& flags, const system::Environment& environment,
                  ConnectionConfig& config) {
  if (!flags.certificate_authority.empty()) {
    config.ca_pem = ReadCertificates(flags.certificate_authority);
    return;
  }
  const auto certificates = system::ReadFileText(FileOf(environment, "ca.crt"));
  if (certificates && !UsableCertificates(*certificates).empty()) config.ca_pem = *certificates;
}

}  // namespace

bool IsInCluster(const system::Environment& environment) {
  std::error_code ignored;
  const auto status = std::filesystem::status(FileOf(environment, "token"), ignored);
  return !environment.variable("KUBERNETES_SERVICE_HOST").empty() &&
         !environment.variable("KUBERNETES_SERVICE_PORT").empty() &&
         std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

ConnectionConfig InClusterConnection(const ConnectionFlags& flags,
                                     const system::Environment& environment) {
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

std::optional<std::string> InClusterNamespace(const system::Environment& environment) {
  std::string name = environment.variable("POD_NAMESPACE");
  if (!name.empty()) return name;
  const auto text = system::ReadFileText(FileOf(environment, "namespace"));
  if (text) name = base::TrimSpace(*text);
  if (name.empty()) return std::nullopt;
  return name;
}

}  // namespace kube::config
