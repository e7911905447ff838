#include "kube/client/route.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"
#include "tests/support/variables.h"

namespace kube::client {
namespace {

using test_support::EnvironmentWith;
using test_support::kClientCa;
using test_support::kRsa;
using test_support::Variables;

Route RouteOf(const ConnectionConfig& config, const Variables& variables = {}) {
  return RouteTo(config, EnvironmentWith(variables));
}

ConnectionConfig ConfigFor(const std::string& server) {
  ConnectionConfig config;
  config.server = server;
  return config;
}

TEST_CASE("A server is known by its own name, or by the one of its certificate", "[kube][route]") {
  ConnectionConfig config = ConfigFor("https://10.0.0.1/k8s");
  CHECK(RouteOf(config).base == "https://10.0.0.1:443/k8s");
  CHECK(RouteOf(config).connect_to.empty());
  CHECK(RouteOf(config).host_header.empty());
  SECTION("another one") {
    config.tls_server_name = "api.example.com";
    CHECK(RouteOf(config).base == "https://api.example.com:443/k8s");
    CHECK(RouteOf(config).connect_to == "10.0.0.1:443");
    CHECK(RouteOf(config).host_header == "10.0.0.1");
  }
  SECTION("the same") {
    config.tls_server_name = "10.0.0.1";
    CHECK(RouteOf(config).connect_to.empty());
  }
  SECTION("of an address of IPv6") {
    config = ConfigFor("https://[::1]:6443");
    config.tls_server_name = "fd00::1";
    CHECK(RouteOf(config).base == "https://[fd00::1]:6443");
    CHECK(RouteOf(config).connect_to == "[::1]:6443");
    CHECK(RouteOf(config).host_header == "[::1]:6443");
  }
  SECTION("without TLS there is no certificate") {
    config = ConfigFor("http://10.0.0.1:8080");
    config.tls_server_name = "api.example.com";
    CHECK(RouteOf(config).base == "http://10.0.0.1:8080");
    CHECK(RouteOf(config).connect_to.empty());
  }
}

TEST_CASE("The proxy of the configuration goes before that of the environment", "[kube][route]") {
  const Variables variables = {{"HTTPS_PROXY", "http://p:1"}};
  ConnectionConfig config = ConfigFor("https://api.example.com");
  CHECK(RouteOf(config).proxy.empty());
  CHECK(RouteOf(config, variables).proxy == "http://p:1");
  config.proxy_url = "socks5://q:2";
  CHECK(RouteOf(config, variables).proxy == "socks5://q:2");
}

TEST_CASE("Authorities are those of the configuration, else the system's", "[kube][route]") {
  const test_support::TempFolder folder;
  const Variables variables = {{"SSL_CERT_FILE", folder.Write("bundle.pem", kRsa)},
                               {"SSL_CERT_DIR", "/nonexistent"}};
  ConnectionConfig config = ConfigFor("https://api.example.com");
  const std::string of_system = RouteOf(config, variables).authorities;
  CHECK(of_system.find("BEGIN CERTIFICATE") != of_system.npos);
  config.ca_pem = kClientCa;
  const std::string named = RouteOf(config, variables).authorities;
  CHECK(named.find("BEGIN CERTIFICATE") != named.npos);
  CHECK(named != of_system);
  SECTION("what is no certificate is passed over") {
    config.ca_pem =
        std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") + kClientCa;
    CHECK(RouteOf(config, variables).authorities == named);
  }
  SECTION("where none is one the system's are not taken") {
    config.ca_pem = "no certificate";
    CHECK(RouteOf(config, variables).authorities == "no certificate");
  }
  SECTION("a server that is not verified needs none") {
    config.ca_pem.clear();
    config.insecure_skip_tls_verify = true;
    CHECK(RouteOf(config, variables).authorities.empty());
  }
}

TEST_CASE("A server without a usable URL has no route", "[kube][route]") {
  CHECK_THROWS_WITH(RouteOf(ConfigFor("ftp://api.example.com")),
                    "cannot use the URL of the server: scheme \"ftp\" is not http or https");
  CHECK_THROWS_AS(RouteOf(ConfigFor("ftp://api.example.com")), base::Error);
}

}  // namespace
}  // namespace kube::client
