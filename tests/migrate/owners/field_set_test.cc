#include <catch2/catch.hpp>
#include <string>

#include "migrate/cluster/field_fit.h"

namespace migrate::cluster {
namespace field_set_test {

std::string Union(const std::string& one, const std::string& other) {
  kube::json::Document a, b;
  REQUIRE(!a.Parse(one));
  REQUIRE(!b.Parse(other));
  kube::json::Arena arena;
  return kube::json::Print(UnionOf(a.root(), b.root(), arena));
}

TEST_CASE("A union owns what either owns", "[migrate][field_set]") {
  const auto [one, other, both] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"f:a":{}})", R"({"f:b":{}})", R"({"f:a":{},"f:b":{}})"},
      {R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})"},
      {R"({"f:s":{"f:a":{}}})", R"({"f:s":{"f:b":{}}})", R"({"f:s":{"f:a":{},"f:b":{}}})"},
      {R"({"f:l":{"k:{\"n\":1}":{".":{},"f:n":{}}}})", R"({"f:l":{"k:{\"n\":2}":{".":{}}}})",
       R"({"f:l":{"k:{\"n\":1}":{".":{},"f:n":{}},"k:{\"n\":2}":{".":{}}}})"},
      // Who owns a thing whole still does, where another owns a part of it.
      {R"({"f:s":{}})", R"({"f:s":{"f:b":{}}})", R"({"f:s":{".":{},"f:b":{}}})"},
      {R"({"f:s":{"f:b":{}}})", R"({"f:s":{}})", R"({"f:s":{".":{},"f:b":{}}})"},
      {R"({"f:s":{".":{},"f:b":{}}})", R"({"f:s":{}})", R"({"f:s":{".":{},"f:b":{}}})"},
      // The set itself is no thing.
      {"{}", R"({"f:a":{}})", R"({"f:a":{}})"},
      {R"({"f:a":{}})", "{}", R"({"f:a":{}})"},
  }));
  CAPTURE(one, other);
  CHECK(Union(one, other) == both);
}

TEST_CASE("What is no set of fields adds nothing", "[migrate][field_set]") {
  CHECK(Union(R"({"f:a":{}})", "7") == R"({"f:a":{}})");
  CHECK(Union("null", R"({"f:a":{}})") == R"({"f:a":{}})");
  CHECK(Union(R"({"f:a":{"f:b":{}}})", R"({"f:a":"x"})") == R"({"f:a":{"f:b":{}}})");
}

TEST_CASE("A union of very deep sets ends", "[migrate][field_set]") {
  constexpr int kDeep = 1500;
  std::string deep;
  for (int i = 0; i < kDeep; ++i) deep += R"({"f:a":)";
  const std::string end(kDeep, '}');
  CHECK(Union(deep + R"({"f:b":{}})" + end, deep + R"({"f:c":{}})" + end) ==
        deep + R"({"f:b":{}})" + end);
}

}  // namespace field_set_test
}  // namespace migrate::cluster
