#include "kube/client/server_url.h"

#include <catch2/catch.hpp>

namespace kube::client {
namespace {

TEST_CASE("The URL of a server is taken apart", "[kube][server_url]") {
  struct Row {
    std::string url, scheme, host, port, authority, path;
    bool loopback;
  };
  const auto row = GENERATE(values<Row>({
      {"https://10.0.0.1:6443", "https", "10.0.0.1", "6443", "10.0.0.1:6443", "", false},
      {"https://k8s.example.com", "https", "k8s.example.com", "443", "k8s.example.com", "", false},
      {"http://localhost:8080/", "http", "localhost", "8080", "localhost:8080", "", true},
      {"http://127.3.2.1", "http", "127.3.2.1", "80", "127.3.2.1", "", true},
      {"https://127.example.com", "https", "127.example.com", "443", "127.example.com", "", false},
      {"https://[::1]:6443/a/b/", "https", "::1", "6443", "[::1]:6443", "/a/b", true},
      {"https://[fd00::1]", "https", "fd00::1", "443", "[fd00::1]", "", false},
      {"https://[::ffff:127.0.0.1]", "https", "::ffff:127.0.0.1", "443", "[::ffff:127.0.0.1]", "",
       false},
      {"https://1.example", "https", "1.example", "443", "1.example", "", false},
      {"https://a.1b", "https", "a.1b", "443", "a.1b", "", false},
      {"https://me:secret@h:1/p?q#f", "https", "h", "1", "h:1", "/p", false},
  }));
  CAPTURE(row.url);
  const auto url = ParseServerUrl(row.url);
  REQUIRE(url);
  CHECK(url->scheme == row.scheme);
  CHECK(url->host == row.host);
  CHECK(url->port == row.port);
  CHECK(url->authority == row.authority);
  CHECK(url->path == row.path);
  CHECK(url->is_loopback() == row.loopback);
  CHECK(url->is_tls() == (row.scheme == "https"));
}

TEST_CASE("What is no URL of a server is told", "[kube][server_url]") {
  const auto [url, want] = GENERATE(table<std::string, std::string>({
      {"", "it has no scheme, as in https://HOST"},
      {"10.0.0.1:6443", "it has no scheme, as in https://HOST"},
      {"ftp://a", "scheme \"ftp\" is not http or https"},
      {"https://", "\"\" is no host and port"},
      {"https://a:b", "\"a:b\" is no host and port"},
      {"https://a:123456", "\"a:123456\" is no host and port"},
      {"https://a:65536", "\"a:65536\" is no host and port"},
      {"https://[::1", "\"[::1\" is no host and port"},
      {"https://[::1]6443", "\"[::1]6443\" is no host and port"},
      {"https://a b", "it has blanks or control characters"},
      {"https://a/\r\nX-Evil: 1", "it has blanks or control characters"},
  }));
  CAPTURE(url);
  const auto parsed = ParseServerUrl(url);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error() == want);
}

TEST_CASE("K5: a host of numbers is an address of IPv4 only where Go reads one",
          "[kube][server_url]") {
  for (const char* host : {"127.1", "2130706433", "0177.0.0.1", "0x7f.0.0.1", "127.0.0.0x1",
                           "127.0.0.256", "1.2.3.4.5", "a.1"}) {
    CAPTURE(host);
    const auto url = ParseServerUrl("https://" + std::string(host) + ":6443");
    REQUIRE_FALSE(url);
    CHECK(url.error() == "no such host \"" + std::string(host) +
                             "\": an address of IPv4 is four numbers, as in 127.0.0.1");
  }
  const auto url = ParseServerUrl("https://b\xC3\xBC.example");
  REQUIRE_FALSE(url);
  CHECK(url.error() ==
        "no such host \"b\xC3\xBC.example\": a name beyond ASCII is written in its xn-- form");
}

TEST_CASE("Only IPv6 addresses stand in brackets", "[kube][server_url]") {
  CHECK(BracketHost("::1") == "[::1]");
  CHECK(BracketHost("[::1]") == "[::1]");
  CHECK(BracketHost("a.example.com") == "a.example.com");
}

}  // namespace
}  // namespace kube::client
