#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kube::admission {

/// What an API server's certificate says, as text: "O=k3s, CN=k3s".
struct ServerCertificate {
  std::string subject, issuer;
  std::vector<std::string> alternative_names;  ///< DNS names and addresses
};

/// Clusters on a person's own machine, whose API server cannot reach it as localhost.
enum class ServerKind : std::uint8_t { kOther, kK3d, kMinikube, kDockerDesktop };

/// By the certificate, or, for k3s, by the server's version as "v1.29.4+k3s1".
ServerKind KindOfServer(const ServerCertificate& certificate, std::string_view version);

/// By which name such a server reaches the machine: "host.k3d.internal"; empty where it is not
/// known.
std::string_view HostForServer(ServerKind kind);

}  // namespace kube::admission
