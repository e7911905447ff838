#include <catch2/catch.hpp>
#include <string>

#include "kube/client/kubeconfig.h"
#include "tests/kube/config/kubeconfig_situations.h"

namespace kube::client {
namespace kubeconfig_test {

TEST_CASE("Flags go before the kubeconfig's server", "[kube][kubeconfig]") {
  const std::string named = kServer + ", tls-server-name: f";
  CheckAll({
      {"K3 --server",
       Cluster(kServer),
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "https://s/pre/"; },
       "https://s/pre ca=ca token=T"},
      {"K3 tls-server-name of the file",
       Cluster(named),
       {},
       kFileA,
       "https://h:1 tls-name=f ca=ca token=T"},
      {"K3 --tls-server-name",
       Cluster(named),
       {},
       [](auto& f) { f.kubeconfig = "a", f.tls_server_name = "g"; },
       "https://h:1 tls-name=g ca=ca token=T"},
      {"K3 --server clears tls-server-name",
       Cluster(named),
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "https://s"; },
       "https://s ca=ca token=T"},
      {"K3 --server with --tls-server-name",
       Cluster(named),
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "https://s", f.tls_server_name = "g"; },
       "https://s tls-name=g ca=ca token=T"},
      {"K3 --insecure-skip-tls-verify clears CA data",
       Cluster("server: 'https://h:1', certificate-authority-data: @ca@"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.insecure_skip_tls_verify = true; },
       "https://h:1 insecure token=T"},
      {"K3 --insecure-skip-tls-verify clears a CA file that is not there",
       Cluster("server: 'https://h:1', certificate-authority: gone"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.insecure_skip_tls_verify = true; },
       "https://h:1 insecure token=T"},
      {"K3 --certificate-authority clears insecure",
       Cluster("server: 'https://h:1', insecure-skip-tls-verify: true"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.certificate_authority = "bob.crt"; },
       "https://h:1 ca=bob token=T"},
      {"K3 --certificate-authority clears CA data",
       Cluster("server: 'https://h:1', certificate-authority-data: @ca@"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.certificate_authority = "bob.crt"; },
       "https://h:1 ca=bob token=T"},
      {"K3 insecure of the file stays",
       Cluster("server: 'https://h:1', insecure-skip-tls-verify: true"),
       {},
       kFileA,
       "https://h:1 insecure token=T"},
      {"K3 insecure with CA data",
       Cluster("server: 'https://h:1', insecure-skip-tls-verify: true, "
               "certificate-authority-data: @ca@"),
       {},
       kFileA,
       "error: specifying a root certificates file with the insecure flag is not allowed"},
      {"K3 both flags",
       Cluster(kServer),
       {},
       [](auto& f) {
         f.kubeconfig = "a", f.insecure_skip_tls_verify = true, f.certificate_authority = "ca.crt";
       },
       "error: specifying a root certificates file with the insecure flag is not allowed"},
      {"K5 CA data and file",
       Cluster(kServer + ", certificate-authority-data: @ca@"),
       {},
       kFileA,
       "error: certificate-authority-data and certificate-authority are both specified for c. "
       "certificate-authority-data will override."},
      {"K5 CA data and a file that is not there",
       Cluster(
           "server: 'https://h:1', certificate-authority: gone, certificate-authority-data: @ca@"),
       {},
       kFileA,
       "error: invalid configuration:\n* certificate-authority-data and certificate-authority are "
       "both specified for c. certificate-authority-data will override.\n* unable to read "
       "certificate-authority DIR/gone for c due to open DIR/gone: no such file or directory"},
      {"K5 CA data",
       Cluster("server: 'https://h:1', certificate-authority-data: @ca@"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T"},
      {"K5 CA data that is no PEM",
       Cluster("server: 'https://h:1', certificate-authority-data: R0FSQkFHRQ=="),
       {},
       kFileA,
       "error: unable to load root certificates of cluster \"c\": unable to parse bytes as PEM "
       "block"},
      {"K5 a CA file that is no PEM",
       {{"a", Config(kServer, "token: T")}, {"ca.crt", "garbage"}},
       {},
       kFileA,
       "error: unable to load root certificates from DIR/ca.crt: unable to parse bytes as PEM "
       "block"},
      {"K5 an empty CA file",
       {{"a", Config(kServer, "token: T")}, {"ca.crt", ""}},
       {},
       kFileA,
       "https://h:1 token=T"},
      {"K5 CA data that is no base64",
       Cluster("server: 'https://h:1', certificate-authority-data: 'U0VDUkVU*'"),
       {},
       kFileA,
       "error: error loading config file \"DIR/a\": "
       "clusters[0].cluster.certificate-authority-data: "
       "illegal base64 data at input byte 8"},
  });
}

TEST_CASE("Proxies and compression", "[kube][kubeconfig]") {
  const auto proxy = [](const std::string& url) {
    return Cluster(kServer + ", proxy-url: '" + url + "'");
  };
  const std::string invalid = "error: invalid 'proxy-url' ";
  CheckAll({
      {"K5 proxy-url",
       proxy("http://p:3"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T proxy=http://p:3"},
      {"K5 socks5",
       proxy("socks5://p:3"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T proxy=socks5://p:3"},
      {"K5 a scheme that is not taken",
       proxy("ftp://p"),
       {},
       kFileA,
       invalid +
           "\"ftp://p\" for cluster \"c\": unsupported scheme \"ftp\", must be http, https, or "
           "socks5"},
      {"K5 no scheme",
       proxy("127.0.0.1:3"),
       {},
       kFileA,
       invalid + "\"127.0.0.1:3\" for cluster \"c\": could not parse: 127.0.0.1:3"},
      {"K5 the password stays secret",
       proxy("http://me:SECRET@["),
       {},
       kFileA,
       invalid + "\"http://[\" for cluster \"c\": could not parse: http://["},
      {"K5 disable-compression",
       Cluster(kServer + ", disable-compression: true"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T uncompressed"},
      {"K5 --disable-compression",
       Cluster(kServer),
       {},
       [](auto& f) { f.kubeconfig = "a", f.disable_compression = true; },
       "https://h:1 ca=ca token=T uncompressed"},
  });
}

}  // namespace kubeconfig_test
}  // namespace kube::client
