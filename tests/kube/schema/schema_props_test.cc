#include "kube/schema/schema_props.h"

#include <catch2/catch.hpp>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace {

using support::TestSchema;

bool Equal(std::string_view a, std::string_view b) {
  return DeepEqual(TestSchema(a).props, TestSchema(b).props);
}

TEST_CASE("Schemas are equal whatever the order of their keys", "[schema][schema_props]") {
  CHECK(Equal(R"({"type":"object","properties":{"a":{},"b":{"default":{"x":1,"y":2}}}})",
              R"({"properties":{"b":{"default":{"y":2,"x":1}},"a":{}},"type":"object"})"));
}

TEST_CASE("Nil and empty lists are equal", "[schema][schema_props]") {
  CHECK(Equal(R"({"required":[],"allOf":[],"properties":{},"enum":[]})", "{}"));
}

// Numbers are an int64 or a float64 when they are compared.
TEST_CASE("The text of a number makes no difference, its type does", "[schema][schema_props]") {
  CHECK(Equal(R"({"default":{"a":[0.50]},"enum":[1e2]})",
              R"({"default":{"a":[0.5]},"enum":[100.0]})"));
  CHECK(!Equal(R"({"default":1})", R"({"default":1.0})"));
}

TEST_CASE("Each keyword makes a difference", "[schema][schema_props]") {
  const std::string keyword = GENERATE(
      R"("type":"a")", R"("description":"a")", R"("id":"a")", R"("$schema":"a")", R"("$ref":"")",
      R"("nullable":true)", R"("format":"a")", R"("title":"a")", R"("pattern":"a")",
      R"("externalDocs":{})", R"("required":["a"])", R"("maximum":0)", R"("exclusiveMaximum":true)",
      R"("minimum":0)", R"("exclusiveMinimum":true)", R"("maxLength":0)", R"("minLength":0)",
      R"("maxItems":0)", R"("minItems":0)", R"("uniqueItems":true)", R"("multipleOf":1)",
      R"("maxProperties":0)", R"("minProperties":0)", R"("default":1)", R"("example":1)",
      R"("enum":[1])", R"("x-kubernetes-preserve-unknown-fields":true)",
      R"("x-kubernetes-embedded-resource":true)", R"("x-kubernetes-int-or-string":true)",
      R"("x-kubernetes-list-type":"")", R"("x-kubernetes-map-type":"")",
      R"("x-kubernetes-list-map-keys":["a"])", R"("x-kubernetes-validations":[{}])",
      R"("properties":{"a":{}})", R"("items":{})", R"("items":[{}])",
      R"("additionalProperties":false)", R"("additionalItems":true)", R"("allOf":[{}])",
      R"("anyOf":[{}])", R"("oneOf":[{}])", R"("not":{})", R"("patternProperties":{"a":{}})",
      R"("definitions":{"a":{}})", R"("dependencies":{"a":["b"]})");
  CAPTURE(keyword);
  const std::string text = "{" + keyword + "}";
  CHECK(!Equal(text, "{}"));
  CHECK(!Equal("{}", text));
  CHECK(Equal(text, text));
}

}  // namespace
}  // namespace kube::schema
