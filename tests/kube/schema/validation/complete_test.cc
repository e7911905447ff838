#include <catch2/catch.hpp>

#include "kube/schema/validation.h"
#include "tests/support/test_schema.h"

namespace kube::schema {
namespace complete_test {

using Messages = std::vector<std::string>;

Messages Check(std::string_view text, std::string_view base_path = "") {
  const support::TestSchema schema(text);
  std::vector<meta::FieldError> errors;
  CheckCompleteness(schema.props, base_path, errors);
  return meta::SortedStrings(errors);
}

TEST_CASE("What a value validation of the root mentions must be specified", "[schema][complete]") {
  CHECK(Check(R"({"anyOf":[{"properties":{"bar":{}}}],"allOf":[{"items":{}}]})") ==
        Messages{"items: Required value: because it is defined in allOf[0].items",
                 "properties[bar]: Required value: because it is defined in "
                 "anyOf[0].properties[bar]"});
  CHECK(Check(R"({"properties":{"bar":{}},"anyOf":[{"properties":{"bar":{}}}]})").empty());
}

TEST_CASE("Only the first missing level is told", "[schema][complete]") {
  CHECK(Check(R"({"properties":{"m":{}},
                  "not":{"oneOf":[{"properties":{"m":{"properties":{"k":{"items":{}}}}}}]}})") ==
        Messages{"properties[m].properties[k]: Required value: because it is defined in "
                 "not.oneOf[0].properties[m].properties[k]"});
}

TEST_CASE("Additional properties and unknown fields specify nothing", "[schema][complete]") {
  CHECK(Check(R"({"properties":{"m":{"additionalProperties":{"type":"string"},
                  "x-kubernetes-preserve-unknown-fields":true}},
                  "allOf":[{"properties":{"m":{"properties":{"k":{}}}}}]})")
            .size() == 1);
}

TEST_CASE("Value validations below the root are not looked at", "[schema][complete]") {
  CHECK(Check(R"({"properties":{"m":{"anyOf":[{"properties":{"k":{}}}]}}})").empty());
}

TEST_CASE("Both paths start at the base path", "[schema][complete]") {
  CHECK(Check(R"({"anyOf":[{"properties":{"bar":{}}}]})", "base") ==
        Messages{"base.properties[bar]: Required value: because it is defined in "
                 "base.anyOf[0].properties[bar]"});
}

}  // namespace complete_test
}  // namespace kube::schema
