#include "kube/client/server_address.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/base/result.h"

namespace kube::client {
namespace {

std::string Url(const std::string& text) {
  try {
    return ParseServerAddress(text).url;
  } catch (const base::Error& error) {
    return error.what();
  }
}

// Expected values: kubectl 1.32, by what it connects to.
TEST_CASE("A server is a URL or a host that is spoken to by http", "[kube][server_address]") {
  const std::string no = "host must be a URL or a host:port pair: ";
  const auto [text, expected] = GENERATE_COPY(table<std::string, std::string>({
      {"https://10.0.0.1:6443", "https://10.0.0.1:6443"},
      {"https://h/", "https://h"},
      {"https://h/pre/", "https://h/pre"},
      {"http://h:1/a/b/?x=1#f", "http://h:1/a/b"},
      {"http://h:1?x=/1", "http://h:1"},
      {"HTTP://h", "http://h"},
      {"https://[::1]:6443", "https://[::1]:6443"},
      {"https://h/a b", "https://h/a%20b"},
      {"https://h/a/../b", "https://h/b"},
      {"https://h/../..", "https://h"},
      {"https://h//a//b/.", "https://h/a/b"},
      {"https://h/a%2Fb%25c%3F", "https://h/a/b%25c%3F"},
      {"https://h/\xC3\xA4", "https://h/%C3%A4"},
      {"h", "http://h"},
      {"h:1", "http://h:1"},
      {"127.0.0.1:8080", "http://127.0.0.1:8080"},
      {"127.0.0.1:8080/", "http://127.0.0.1:8080"},
      {"/abc", no + "\"/abc\""},
      {"127.0.0.1:8080/a/b", no + "\"127.0.0.1:8080/a/b\""},
      {"http://[", no + "\"http://[\""},
      {"http://u:SECRET@[", no + "\"http://[\""},
      {"", no + "\"\""},
      {"ftp://h", "cannot reach the server \"ftp://h\": unsupported protocol scheme \"ftp\""},
  }));
  CAPTURE(text);
  CHECK(Url(text) == expected);
}

TEST_CASE("User and password stand beside the URL", "[kube][server_address]") {
  const ServerAddress server = ParseServerAddress("https://me:a%3Ab@h/p");
  CHECK(server.url == "https://h/p");
  CHECK(server.is_tls);
  CHECK(server.username == "me");
  CHECK(server.password == "a:b");
  CHECK_FALSE(ParseServerAddress("h:443").is_tls);
}

TEST_CASE("X2: a credential plugin is told the URL as written but for user, query and escapes",
          "[kube][server_address]") {
  CHECK(ParseServerAddress("https://h:1").url_as_written == "https://h:1");
  CHECK(ParseServerAddress("https://h:1/").url_as_written == "https://h:1/");
  CHECK(ParseServerAddress("https://h:1/a b/?x=1#f").url_as_written == "https://h:1/a%20b/");
  CHECK(ParseServerAddress("https://h:1/a%2Fb/../c").url_as_written == "https://h:1/a%2Fb/../c");
}

TEST_CASE("A message never has what may be a password", "[kube][server_address]") {
  CHECK(WithoutUser("https://u:p@h/x") == "https://h/x");
  CHECK(WithoutUser("https://u:p/q@h/x") == "https://h/x");
  CHECK(WithoutUser("u:p@h") == "h");
  CHECK(WithoutUser("https://h/x") == "https://h/x");
}

TEST_CASE("A proxy has a scheme and a host", "[kube][server_address]") {
  CHECK_FALSE(ProxyUrlProblem("http://p:3128"));
  CHECK_FALSE(ProxyUrlProblem("https://p"));
  CHECK_FALSE(ProxyUrlProblem("socks5://p"));
  CHECK(ProxyUrlProblem("socks5h://p") ==
        "unsupported scheme \"socks5h\", must be http, https, or socks5");
  CHECK(ProxyUrlProblem("127.0.0.1:3128") == "could not parse: 127.0.0.1:3128");
  CHECK(ProxyUrlProblem("http://") == "no host in it");
}

}  // namespace
}  // namespace kube::client
