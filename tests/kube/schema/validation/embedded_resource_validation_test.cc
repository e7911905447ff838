#include "kube/schema/embedded_resource_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/structural_text.h"

namespace kube::schema {
namespace embedded_resource_validation_test {

using Strings = std::vector<std::string>;

Strings Validate(std::string_view schema, std::string_view value, bool is_root = false) {
  test::StructuralText structural(schema);
  json::Document document;
  REQUIRE(!document.Parse(value));
  return meta::SortedStrings(ValidateEmbeddedResources(document.root(), *structural, "", is_root));
}

constexpr std::string_view kEverywhere = R"({"properties":{
    "a":{"x-kubernetes-embedded-resource":true},
    "l":{"items":{"x-kubernetes-embedded-resource":true}},
    "m":{"additionalProperties":{"x-kubernetes-embedded-resource":true}}}})";

TEST_CASE("Embedded resources are found in fields, lists and maps", "[embedded]") {
  CHECK(Validate(kEverywhere, R"({"a":{"kind":"A"},"l":[{"kind":"A"}],"m":{"x":{"kind":"A"}}})") ==
        Strings{"a.apiVersion: Required value", "l[0].apiVersion: Required value",
                "m[x].apiVersion: Required value"});
}

TEST_CASE("What is no object is no resource", "[embedded]") {
  CHECK(Validate(kEverywhere, R"({"a":"x","l":[1,null],"m":[]})").empty());
}

TEST_CASE("The root counts if it is said to", "[embedded]") {
  CHECK(Validate("{}", "{}").empty());
  CHECK(Validate("{}", "{}", true).size() == 2);
}

TEST_CASE("Type and metadata are checked", "[embedded]") {
  CHECK(Validate("{}", R"({"apiVersion":"","kind":""})", true) ==
        Strings{R"(apiVersion: Invalid value: "": must not be empty)",
                R"(kind: Invalid value: "": must not be empty)"});
  CHECK(Validate("{}", R"({"apiVersion":"a/b/c","kind":[1.0]})", true) ==
        Strings{R"(apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)",
                "kind: Invalid value: [1]: must be a string"});
  CHECK(Validate("{}", R"({"apiVersion":"v1","kind":"A","metadata":{"name":"a/b"}})", true) ==
        Strings{R"(metadata.name: Invalid value: "a/b": may not contain '/')"});
  CHECK(Validate("{}", R"({"apiVersion":"v1","kind":"A","metadata":{"namespace":"a.b"}})", true) ==
        Strings{R"(metadata.namespace: Invalid value: "a.b": must not contain dots)"});
}

}  // namespace embedded_resource_validation_test
}  // namespace kube::schema
