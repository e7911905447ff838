#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kube::base {

/// What of the process' surroundings says where the server is; injected, so that tests need none.
struct Environment {
  /// The value of an environment variable; empty where it is not set.
  std::function<std::string(const std::string& name)> variable;
  /// Where a pod finds its token, ca.crt and namespace.
  std::string service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// That of this process. The variables are read when asked for.
Environment ProcessEnvironment();

/// As whom we run, by the environment; "uid-1000" where that does not say.
std::string UserName(const Environment& environment);

/// The number of this process.
std::int64_t ProcessNumber();

/// What this machine, or this pod, is called; "localhost" where it does not say.
std::string HostName();

}  // namespace kube::base
