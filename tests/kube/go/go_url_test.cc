#include "kube/go/go_url.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::go {
namespace go_url_test {

struct Row {
  std::string_view text;
  std::string_view error;  ///< empty: it is a URL
};

// What url.Parse of Go 1.26 answers.
const Row kRows[] = {
    {"https://a/b", ""},
    {"http://a", ""},
    {"https://u:p%40@a/", ""},
    {"https://a?x=1", ""},
    {"https://a#f%20g", ""},
    {"https://", ""},
    {"https://a b/", "parse \"https://a b/\": invalid character \" \" in host name"},
    {"%zz", "parse \"%zz\": invalid URL escape \"%zz\""},
    {"://x", "parse \"://x\": missing protocol scheme"},
    {"https://a:x/", "parse \"https://a:x/\": invalid port \":x\" after host"},
    {"https://[::1", "parse \"https://[::1\": missing ']' in host"},
    {"https://[::1]:8/", ""},
    {"https://a:1:2", "parse \"https://a:1:2\": invalid port \":1:2\" after host"},
    {"https://a%41/", "parse \"https://a%41/\": invalid URL escape \"%41\""},
    {"https://é/", ""},
    {"a:b", ""},
    {"first:segment/x", ""},
    {"", ""},
    {"*", ""},
    {"https://a/\x01", "parse \"https://a/\\x01\": net/url: invalid control character in URL"},
    {"https://ué@a/", "parse \"https://ué@a/\": net/url: invalid userinfo"},
    {"https://[fe80::1%25en0]/", ""},
    {"https://[1.2.3.4]/", "parse \"https://[1.2.3.4]/\": invalid IP-literal"},
    {"https://[::%25]/",
     R"(parse "https://[::%25]/": invalid host: ParseAddr("::%"): zone must be a non-empty string)"},
    {"https://[1.2.3]/",
     R"(parse "https://[1.2.3]/": invalid host: ParseAddr("1.2.3"): IPv4 address too short)"},
    {"https://[1::2::3]/",
     R"(parse "https://[1::2::3]/": invalid host: ParseAddr("1::2::3"): multiple :: in address (at ":3"))"},
    {"https://a[b]/", "parse \"https://a[b]/\": invalid IP-literal"}};

TEST_CASE("URLs are read as Go reads them", "[go_url]") {
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const auto url = ParseUrl(row.text);
    CHECK((url ? "" : url.error()) == row.error);
  }
}

TEST_CASE("The parts of a URL are told apart", "[go_url]") {
  const auto url = ParseUrl("HTTPS://u:p%40@Host:8/x?q=1#f%20g");
  REQUIRE(url);
  CHECK(url->scheme == "https");
  CHECK(url->user == "u:p%40");
  CHECK(url->host == "Host:8");
  CHECK(url->raw_query == "q=1");
  CHECK(url->fragment == "f g");
}

TEST_CASE("The URI of a request is absolute or a path from the root", "[go_url]") {
  CHECK(ParseRequestUri("/a"));
  CHECK(ParseRequestUri("mailto:x"));
  CHECK(ParseRequestUri("*"));
  CHECK(ParseRequestUri("").error() == R"(parse "": empty url)");
  CHECK(ParseRequestUri("a").error() == R"(parse "a": invalid URI for request)");
}

}  // namespace go_url_test
}  // namespace kube::go
