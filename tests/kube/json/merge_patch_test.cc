#include <catch2/catch.hpp>
#include <string>

#include "kube/json/json_patch.h"

namespace kube::json {
namespace merge_patch_test {

// "none" where there is none.
std::string PatchOf(const std::string& from, const std::string& to,
                    Removals removals = Removals::kSent) {
  Document a, b;
  REQUIRE_FALSE(a.Parse(from));
  REQUIRE_FALSE(b.Parse(to));
  Arena arena;
  const auto patch = MakeMergePatch(a.root(), b.root(), arena, removals);
  return patch ? Print(*patch, KeyOrder::kAsWritten) : "none";
}

TEST_CASE("A merge patch says what differs, and no more", "[kube][json]") {
  CHECK(PatchOf(R"({"a":1,"b":{"c":[1]}})", R"({"b":{"c":[1.0]},"a":1e0})") == "{}");
  CHECK(PatchOf(R"({"a":1,"b":{"c":1,"d":2}})", R"({"b":{"d":2,"e":3},"a":1,"f":{}})") ==
        R"({"b":{"e":3,"c":null},"f":{}})");
  CHECK(PatchOf(R"({"l":[1,2]})", R"({"l":[1,3]})") == R"({"l":[1,3]})");
  CHECK(PatchOf(R"({"a":{"b":1}})", R"({"a":{}})") == R"({"a":{"b":null}})");
  CHECK(PatchOf(R"({"a":1})", R"({"a":{"b":1}})") == R"({"a":{"b":1}})");
}

TEST_CASE("What is to be left where it is has no null", "[kube][json]") {
  CHECK(PatchOf(R"({"a":1,"b":{"c":1}})", R"({"b":{"d":1}})", Removals::kLeftOut) ==
        R"({"b":{"d":1}})");
}

TEST_CASE("No merge patch brings a null", "[kube][json]") {
  CHECK(PatchOf(R"({})", R"({"a":null})") == "none");
  CHECK(PatchOf(R"({"a":1})", R"({"a":{"b":null}})") == "none");
  CHECK(PatchOf(R"({})", R"({"a":[1,null]})") == "none");
  CHECK(PatchOf(R"({})", R"({"a":[{"b":[{"c":null}]}]})") == "none");
  CHECK(PatchOf(R"({"a":{"b":null}})", R"({"a":{"b":null},"c":1})") == R"({"c":1})");
  CHECK(PatchOf(R"({"a":null,"b":1})", R"({"b":1})") == R"({"a":null})");
}

TEST_CASE("What is deeper than anybody's objects is taken as a whole", "[kube][json]") {
  std::string open, close;
  for (int i = 0; i < 300; ++i) {
    open += R"({"a":)";
    close += "}";
  }
  CHECK(PatchOf(open + "1" + close, open + "1" + close) == "{}");
  CHECK(PatchOf(open + "1" + close, open + "2" + close) == "none");
}

}  // namespace merge_patch_test
}  // namespace kube::json
