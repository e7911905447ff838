#include <catch2/catch.hpp>
#include <string>

#include "kube/schema/keyword_checks.h"

namespace kube::schema {
namespace enum_validation_test {

bool IsIn(std::string_view value, std::string_view values) {
  json::Document x, list;
  REQUIRE(!x.Parse(value));
  REQUIRE(!list.Parse(values));
  return IsInEnum(x.root(), list.root().elements());
}

TEST_CASE("An empty enum allows everything", "[enum]") { CHECK(IsIn("1", "[]")); }

TEST_CASE("Values are converted to the type of what is allowed", "[enum]") {
  CHECK(IsIn("1.9", "[1]"));
  CHECK(IsIn("1", "[1.0]"));
  CHECK_FALSE(IsIn("1", "[1.9]"));
  CHECK(IsIn("65", R"(["A"])"));
  CHECK(IsIn("8364", "[\"\u20ac\"]"));
  CHECK(IsIn("128512", "[\"\U0001F600\"]"));
  CHECK(IsIn("-1", "[\"\ufffd\"]"));
  CHECK_FALSE(IsIn("65.0", R"(["A"])"));
  CHECK_FALSE(IsIn(R"("1")", "[1]"));
}

TEST_CASE("null is in no enum", "[enum]") { CHECK_FALSE(IsIn("null", "[null]")); }

TEST_CASE("Lists and objects are compared without conversion", "[enum]") {
  CHECK(IsIn(R"({"a":[1]})", R"([{"a":[1]}])"));
  CHECK_FALSE(IsIn("[1]", "[[1.0]]"));
}

// fmt's %v, in which kube-openapi's EnumFail lists them.
TEST_CASE("The values of an enum are formatted as Go does", "[enum]") {
  json::Document document;
  REQUIRE(!document.Parse(R"(["a b",1,1.50,1000000.0,true,null,["x",[]],{"k":"v","a":{}}])"));
  CHECK(FormatEnum(document.root().elements()) ==
        "[a b 1 1.5 1e+06 true <nil> [x []] map[a:map[] k:v]]");
}

TEST_CASE("Many elements are searched for duplicates in reasonable time", "[enum]") {
  std::string text = "[0";
  for (int i = 1; i < 20000; ++i) text += "," + std::to_string(i);
  json::Document document;
  REQUIRE(!document.Parse(text + "]"));
  CHECK_FALSE(HasDuplicates(document.root()));
  REQUIRE(!document.Parse(text + ",7]"));
  CHECK(HasDuplicates(document.root()));
}

}  // namespace enum_validation_test
}  // namespace kube::schema
