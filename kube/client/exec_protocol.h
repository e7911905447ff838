#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/client/connection.h"

/// What is said to a credential plugin and what it answers: ExecCredential of
/// client.authentication.k8s.io/v1 and v1beta1.
namespace kube::client {

/// True for the versions that client-go knows.
bool IsExecApiVersion(std::string_view api_version);

/// The value of $KUBERNETES_EXEC_INFO for the plugin `config.exec`, which must be there: the same
/// bytes that kubectl 1.32 sends, with a line break at the end. Tells of the cluster only if the
/// kubeconfig wants that.
std::string ExecInfo(const ConnectionConfig& config, bool is_interactive);

/// What a plugin gave: a token, a client certificate, or both. Holds secrets: never print it.
struct ExecCredential {
  std::string token;
  ClientCertificate certificate;
  std::optional<std::chrono::sys_seconds> expires_at;  ///< absent: never

  bool operator==(const ExecCredential&) const = default;
};

/// Reads what a plugin wrote to stdout, JSON or YAML, as client-go does. `api_version` is that of
/// the kubeconfig. The error is in client-go's words, e.g. "exec plugin didn't return a status
/// field"; no token and no key is in it.
base::Result<ExecCredential, std::string> ReadExecCredential(std::string_view output,
                                                             const std::string& api_version);

/// An installHint as kubectl prints it: what could steer a terminal is written as U+001B.
std::string PrintableHint(std::string_view hint);

}  // namespace kube::client
