#pragma once

#include <string>

#include "kube/base/environment.h"
#include "kube/client/connection.h"
#include "kube/client/server_url.h"

namespace kube::client {

/// How requests get to a server, and by what it is known there.
struct Route {
  ServerUrl url;     ///< of the configuration
  std::string base;  ///< of every URL: with the host of SNI and verification, and always a port
  /// "HOST:PORT" to connect to and the Host header, where `base` names another host; else both are
  /// empty.
  std::string connect_to, host_header;
  std::string proxy;        ///< its URL, which may hold a password; empty: none
  std::string authorities;  ///< PEM: the certificates to trust, and no others
};

/// The way that `config` and, where it names no proxy or authorities, `environment` describe, by
/// Go's rules (ProxyFromEnvironment, SystemCertificatePlaces). Of the authorities that it names the
/// usable ones count; where none is usable they are left as they are, to be refused. None are
/// looked for where the server is not verified. Throws kube::base::Error if `config.server` is no
/// http or https URL.
Route RouteTo(const ConnectionConfig& config, const base::Environment& environment);

}  // namespace kube::client
