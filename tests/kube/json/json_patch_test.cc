#include "kube/json/json_patch.h"

#include <catch2/catch.hpp>

namespace kube::json {
namespace json_patch_test {

std::string PatchOf(const std::string& from, const std::string& to) {
  Document a, b;
  REQUIRE_FALSE(a.Parse(from));
  REQUIRE_FALSE(b.Parse(to));
  Arena arena;
  return Print(MakeJsonPatch(a.root(), b.root(), arena), KeyOrder::kAsWritten);
}

TEST_CASE("A JSON Patch says what differs, and no more", "[kube][json]") {
  CHECK(PatchOf(R"({"a":1})", R"({"a":1.0})") == "[]");
  CHECK(PatchOf("1", "2") == R"([{"op":"replace","path":"","value":2}])");
  CHECK(PatchOf(R"({"a":1,"b":2})", R"({"a":1,"c":{}})") ==
        R"([{"op":"remove","path":"/b"},{"op":"add","path":"/c","value":{}}])");
  CHECK(PatchOf(R"({"a/b":{"~":[1,2]}})", R"({"a/b":{"~":[1,3]}})") ==
        R"([{"op":"replace","path":"/a~1b/~0/1","value":3}])");
  CHECK(PatchOf(R"({"a":[1,2]})", R"({"a":[1]})") ==
        R"([{"op":"replace","path":"/a","value":[1]}])");
  CHECK(PatchOf(R"({"a":null})", R"({"a":{}})") == R"([{"op":"replace","path":"/a","value":{}}])");
}

}  // namespace json_patch_test
}  // namespace kube::json
