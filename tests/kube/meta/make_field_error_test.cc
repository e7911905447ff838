#include "kube/meta/make_field_error.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::meta {
namespace {

std::string Printed(std::string_view text) {
  json::Document document;
  REQUIRE(!document.Parse(text));
  return PrintBadValue(document.root());
}

TEST_CASE("Bad values are printed as Go prints them", "[make_field_error]") {
  CHECK(Printed(R"("a\"<\u0007")") == R"("a\"<\a")");
  CHECK(Printed("1000000") == "1000000");
  CHECK(Printed("1000000.0") == "1e+06");
  CHECK(Printed("true") == "true");
  CHECK(Printed("null") == "null");
  CHECK(Printed(R"({"b":1000000.0,"a":"<"})") == R"({"a":"\u003c","b":1000000})");
}

TEST_CASE("Errors are worded as in apimachinery", "[make_field_error]") {
  CHECK(Required("p").ToString() == "p: Required value");
  CHECK(InvalidText("p", "x", "d").ToString() == R"(p: Invalid value: "x": d)");
  CHECK(Forbidden("p", "d").ToString() == "p: Forbidden: d");
  CHECK(NotSupported("p", "1", std::vector<std::string>{"a", "b\""}).ToString() ==
        R"(p: Unsupported value: 1: supported values: "a", "b\"")");
  CHECK(Duplicate("p", "1").ToString() == "p: Duplicate value: 1");
  CHECK(TooLong("p", 1).ToString() == "p: Too long: may not be more than 1 byte");
  CHECK(TooLong("p", -1).ToString() == "p: Too long: value is too long");
  CHECK(TooMany("p", 3, 2).ToString() == "p: Too many: 3: must have at most 2 items");
  CHECK(TooMany("p", 3, 1).ToString() == "p: Too many: 3: must have at most 1 item");
}

TEST_CASE("The same error counts once", "[make_field_error]") {
  std::vector<FieldError> errors = {Required("b"), Required("a"), Required("b")};
  SortAndDeduplicate(errors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].field == "a");
}

}  // namespace
}  // namespace kube::meta
