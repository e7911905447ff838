#pragma once

#include <string>

#include "kube/base/environment.h"
#include "kube/client/server_url.h"

namespace kube::client {

/// The URL of the proxy that $HTTPS_PROXY, $HTTP_PROXY and $NO_PROXY name for `server`; empty:
/// none. It may hold a password.
///
/// As Go's http.ProxyFromEnvironment: the name in capitals goes before that in small letters,
/// loopback is never asked for through a proxy, and $ALL_PROXY is not looked at.
std::string ProxyFromEnvironment(const ServerUrl& server, const base::Environment& environment);

}  // namespace kube::client
