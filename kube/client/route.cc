#include "kube/client/route.h"

#include "kube/base/error.h"
#include "kube/client/pem.h"
#include "kube/client/proxy_environment.h"
#include "kube/client/system_certificates.h"

namespace kube::client {
namespace {

ServerUrl UrlOf(const ConnectionConfig& config) {
  auto url = ParseServerUrl(config.server);
  if (!url) throw base::Error("cannot use the URL of the server: " + url.error());
  return *std::move(url);
}

// One block that is no certificate would have a whole file refused. Without any usable one the file
// shall be: with no authorities at all, the system's would be trusted.
std::string AuthoritiesOf(const ConnectionConfig& config, const base::Environment& environment) {
  if (config.insecure_skip_tls_verify) return config.ca_pem;
  std::string usable = config.ca_pem.empty() ? CertificatesIn(SystemCertificatePlaces(environment))
                                             : UsableCertificates(config.ca_pem);
  return usable.empty() ? config.ca_pem : usable;
}

}  // namespace

Route RouteTo(const ConnectionConfig& config, const base::Environment& environment) {
  Route route;
  route.url = UrlOf(config);
  const ServerUrl& url = route.url;
  std::string host = BracketHost(url.host);
  if (url.is_tls() && !config.tls_server_name.empty() && config.tls_server_name != url.host) {
    route.connect_to = host + ":" + url.port;
    route.host_header = url.authority;
    host = BracketHost(config.tls_server_name);
  }
  route.base = url.scheme + "://" + host + ":" + url.port + url.path;
  route.proxy =
      config.proxy_url.empty() ? ProxyFromEnvironment(url, environment) : config.proxy_url;
  route.authorities = AuthoritiesOf(config, environment);
  return route;
}

}  // namespace kube::client
