#pragma once

#include <string>

#include "kube/http/server_url.h"
#include "kube/system/environment.h"

namespace kube::http {

/// The URL of the proxy that $HTTPS_PROXY, $HTTP_PROXY and $NO_PROXY name for `server`; empty:
/// none. It may hold a password.
///
/// As Go's http.ProxyFromEnvironment: the name in capitals goes before that in small letters,
/// loopback is never asked for through a proxy, and $ALL_PROXY is not looked at.
std::string ProxyFromEnvironment(const ServerUrl& server, const system::Environment& environment);

}  // namespace kube::http
