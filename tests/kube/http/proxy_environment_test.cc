#include <catch2/catch.hpp>

#include "kube/client/route.h"
#include "tests/support/variables.h"

namespace kube::client {
namespace {

using test_support::Variables;

std::string ProxyFor(const std::string& server, const Variables& variables) {
  return ProxyFromEnvironment(*ParseServerUrl(server), test_support::EnvironmentWith(variables));
}

// Expected values: golang.org/x/net/http/httpproxy, which kubectl asks.
TEST_CASE("K5 The environment names the proxy of a scheme", "[kube][proxy]") {
  const std::string https = "https://api.example.com";
  const std::string http = "http://api.example.com";
  CHECK(ProxyFor(https, {}) == "");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "http://p:1"}}) == "http://p:1");
  CHECK(ProxyFor(https, {{"https_proxy", "http://p:1"}}) == "http://p:1");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "http://p:1"}, {"https_proxy", "http://q:1"}}) ==
        "http://p:1");
  CHECK(ProxyFor(https, {{"HTTP_PROXY", "http://p:1"}}) == "");
  CHECK(ProxyFor(https, {{"ALL_PROXY", "http://p:1"}}) == "");
  CHECK(ProxyFor(http, {{"HTTPS_PROXY", "http://p:1"}}) == "");
  CHECK(ProxyFor(http, {{"HTTP_PROXY", "http://p:1"}}) == "http://p:1");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "p:1"}}) == "http://p:1");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "10.0.0.1:3128"}}) == "http://10.0.0.1:3128");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "socks5://p"}}) == "socks5://p");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "socks5h://p"}}) == "socks5h://p");
  CHECK(ProxyFor(https, {{"HTTPS_PROXY", "ftp://p:1"}}) == "http://p:1");
}

TEST_CASE("K5 Loopback is not asked for through a proxy of the environment", "[kube][proxy]") {
  const Variables variables = {{"HTTPS_PROXY", "http://p:1"}};
  for (const char* server : {"https://localhost", "https://127.0.0.9:6443", "https://[::1]:6443"}) {
    CAPTURE(server);
    CHECK(ProxyFor(server, variables) == "");
  }
  CHECK(ProxyFor("https://127.example.com", variables) == "http://p:1");
}

TEST_CASE("K5 NO_PROXY names hosts, domains, addresses and networks", "[kube][proxy]") {
  const auto [server, no_proxy, is_exempt] = GENERATE(table<std::string, std::string, bool>({
      {"https://api.example.com", "api.example.com", true},
      {"https://api.example.com", "a, API.Example.com ,b", true},
      {"https://api.example.com", "example.com", true},
      {"https://api.example.com", ".example.com", true},
      {"https://api.example.com", "*.example.com", true},
      {"https://api.example.com", "i.example.com", false},
      {"https://example.com", ".example.com", false},
      {"https://example.com", "*.example.com", false},
      {"https://example.com", "example.com", true},
      {"https://api.example.com", "*", true},
      {"https://api.example.com", "api.*", false},
      {"https://api.example.com:6443", "api.example.com:6443", true},
      {"https://api.example.com:6443", "api.example.com:443", false},
      {"https://api.example.com", "example.com:443", true},
      {"https://api.example.com", ":443", false},
      {"https://api.example.com", ", ,", false},
      {"https://10.1.2.3", "10.1.2.3", true},
      {"https://10.1.2.3", "10.1.2.3:80", false},
      {"https://10.1.2.3", "10.1.2.30", false},
      {"https://10.1.2.3", "3", false},
      {"https://10.1.2.3", "10.1.0.0/16", true},
      {"https://10.2.2.3", "10.1.0.0/16", false},
      {"https://10.1.2.3", "10.0.0.0/33", false},
      {"https://10.1.2.3", "0.0.0.0/0", true},
      {"https://10.1.2.3", "10.1.2.2/31", true},
      {"https://10.1.2.4", "10.1.2.2/31", false},
      {"https://api.example.com", "0.0.0.0/0", false},
      {"https://[fd00::7]", "fd00::7", true},
      {"https://[fd00::7]", "FD00:0::7", true},
      {"https://[fd00::7]:6443", "[fd00::7]:6443", true},
      {"https://[fd00::7]", "[fd00::7]", false},
      {"https://[fd00::7]", "fd00::/8", true},
      {"https://[fd00::7]", "10.0.0.0/8", false},
  }));
  CAPTURE(server, no_proxy);
  CHECK(ProxyFor(server, {{"HTTPS_PROXY", "p:1"}, {"NO_PROXY", no_proxy}}).empty() == is_exempt);
  CHECK(ProxyFor(server, {{"HTTPS_PROXY", "p:1"}, {"no_proxy", no_proxy}}).empty() == is_exempt);
}

}  // namespace
}  // namespace kube::client
