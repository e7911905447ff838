#include "kube/meta/names.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::meta {
namespace {

using Problems = std::vector<std::string>;

TEST_CASE("DNS-1035 labels start with a letter", "[names]") {
  CHECK(Dns1035LabelProblems("a-1").empty());
  CHECK(Dns1035LabelProblems(std::string(63, 'a')).empty());
  for (const char* text : {"", "1a", "-a", "a-", "A", "a.b", "a_b", "\u00e9"}) {
    CAPTURE(text);
    CHECK(Dns1035LabelProblems(text) ==
          Problems{"a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
                   "start with an alphabetic character, and end with an alphanumeric character "
                   "(e.g. 'my-name',  or 'abc-123', regex used for validation is "
                   "'[a-z]([-a-z0-9]*[a-z0-9])?')"});
  }
  CHECK(Dns1035LabelProblems(std::string(64, 'a')) ==
        Problems{"must be no more than 63 characters"});
}

TEST_CASE("Dots in an RFC 1123 label are named", "[names]") {
  CHECK(Dns1123LabelProblems("1a").empty());
  CHECK(Dns1123LabelProblems("a.b") == Problems{"must not contain dots"});
  CHECK(Dns1123LabelProblems("A").size() == 1);
}

TEST_CASE("RFC 1123 subdomains are labels joined by dots", "[names]") {
  CHECK(Dns1123SubdomainProblems("a.1-b.c").empty());
  CHECK(Dns1123SubdomainProblems(std::string(253, 'a')).empty());
  CHECK(Dns1123SubdomainProblems(std::string(254, 'a')) ==
        Problems{"must be no more than 253 characters"});
  for (const char* text : {"", ".", "a.", ".a", "a..b", "a.-b", "A.b"}) {
    CAPTURE(text);
    CHECK(Dns1123SubdomainProblems(text).size() == 1);
  }
}

TEST_CASE("Label keys may have a prefix", "[names]") {
  CHECK(LabelKeyProblems("a_B.1").empty());
  CHECK(LabelKeyProblems("example.com/a").empty());
  CHECK(LabelKeyProblems("/a") == Problems{"prefix part must be non-empty"});
  CHECK(LabelKeyProblems("a/").front() == "name part must be non-empty");
  CHECK(LabelKeyProblems(std::string(64, 'a')) ==
        Problems{"name part must be no more than 63 bytes"});
  CHECK(LabelKeyProblems(std::string(254, 'a') + "/a") ==
        Problems{"prefix part must be no more than 253 bytes"});
  CHECK(LabelKeyProblems("a/b/c").size() == 1);
}

TEST_CASE("Label values may be empty", "[names]") {
  CHECK(LabelValueProblems("").empty());
  CHECK(LabelValueProblems("a_B.1").empty());
  CHECK(LabelValueProblems("-").size() == 1);
}

TEST_CASE("A segment of a path may not be dots or hold slashes", "[names]") {
  CHECK(PathSegmentProblems("a b", false).empty());
  CHECK(PathSegmentProblems(".", false) == Problems{"may not be '.'"});
  CHECK(PathSegmentProblems(".", true).empty());
  CHECK(PathSegmentProblems("a/%", false) ==
        Problems{"may not contain '/'", "may not contain '%'"});
}

TEST_CASE("Two letters that are no ASCII have a lower case that is", "[names]") {
  CHECK(ToLowerForDns("Foo\u212A\u0130\u00c9") == "fooki\u00c9");
}

}  // namespace
}  // namespace kube::meta
