#pragma once

#include <string>
#include <vector>

#include "kube/base/environment.h"
#include "kube/client/connection.h"
#include "kube/client/server_url.h"

namespace kube::client {

/// The URL of the proxy that $HTTPS_PROXY, $HTTP_PROXY and $NO_PROXY name for `server`; empty:
/// none. It may hold a password.
///
/// As Go's http.ProxyFromEnvironment: the name in capitals goes before that in small letters,
/// loopback is never asked for through a proxy, and $ALL_PROXY is not looked at.
std::string ProxyFromEnvironment(const ServerUrl& server, const base::Environment& environment);

/// Where certificates of trusted authorities are looked for.
struct CertificatePlaces {
  std::vector<std::string> files;    ///< the first that can be read counts
  std::vector<std::string> folders;  ///< every file in each of them counts
};

/// The bundles and folders of Debian, Red Hat, SUSE and Alpine; in their place what $SSL_CERT_FILE
/// and $SSL_CERT_DIR (folders with a colon between them) name.
///
/// As Go's crypto/x509/root_linux.go and root_unix.go, which kubectl asks.
CertificatePlaces SystemCertificatePlaces(const base::Environment& environment);

/// The certificates in these places as PEM blocks, each once; empty where there are none. What
/// cannot be read, and what is no certificate, is passed over.
std::string CertificatesIn(const CertificatePlaces& places);

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
