#include "kube/base/text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/base/ascii.h"

namespace kube::base {
namespace {

TEST_CASE("Texts are joined in their order", "[kube][text]") {
  using Strings = std::vector<std::string>;
  CHECK(Join(Strings{}, ", ").empty());
  CHECK(Join(Strings{"b"}, ", ") == "b");
  CHECK(Join(Strings{"b", "", "a"}, ", ") == "b, , a");
}

TEST_CASE("A noun follows its number", "[kube][text]") {
  CHECK(Count(0, "field") == "0 fields");
  CHECK(Count(1, "field") == "1 field");
  CHECK(Count(18446744073709551615U, "object") == "18446744073709551615 objects");
}

TEST_CASE("Only letters of ASCII are made small", "[kube][text]") {
  CHECK(ToLower("JSON-Path=[@Z]_{`az}") == "json-path=[@z]_{`az}");
  CHECK(ToLower("\xC3\x84") == "\xC3\x84");
}

}  // namespace
}  // namespace kube::base
