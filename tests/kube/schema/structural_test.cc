#include "kube/schema/structural.h"

#include <catch2/catch.hpp>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace {

using support::TestSchema;

std::string ConversionErrorOf(std::string_view text) {
  return ConversionError(TestSchema(text).props).value_or("");
}

TEST_CASE("Keywords that no structural schema can have are named", "[schema][structural]") {
  const auto [text, want] = GENERATE(table<std::string, std::string>({
      {R"({"id":"a"})", "OpenAPIV3Schema 'id' is not supported"},
      {R"({"$schema":"a"})", "OpenAPIV3Schema 'schema' is not supported"},
      {R"({"$ref":"a"})", "OpenAPIV3Schema '$ref' is not supported"},
      {R"({"patternProperties":{"a":{}}})", "OpenAPIV3Schema 'patternProperties' is not supported"},
      {R"({"dependencies":{"a":["b"]}})", "OpenAPIV3Schema 'dependencies' is not supported"},
      {R"({"additionalItems":false})", "OpenAPIV3Schema 'additionalItems' is not supported"},
      {R"({"definitions":{"a":{}}})", "OpenAPIV3Schema 'definitions' is not supported"},
      {R"({"items":[{}]})", "OpenAPIV3Schema 'items' must be a schema, but is an array"},
      {R"({"x-kubernetes-preserve-unknown-fields":false})",
       "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"},
      {R"({"$ref":"","definitions":{},"items":[],"dependencies":{}})", ""},
  }));
  CHECK(ConversionErrorOf(text) == want);
  CHECK(ConversionErrorOf(R"({"properties":{"a":)" + text + "}}") == want);
  CHECK(ConversionErrorOf(R"({"additionalProperties":)" + text + "}") == want);
  CHECK(ConversionErrorOf(R"({"allOf":[{"not":{"items":)" + text + "}}]}") == want);
}

TEST_CASE("Of several conversion errors value validations come before items",
          "[schema][structural]") {
  CHECK(ConversionErrorOf(R"({"items":{"id":"a"},"anyOf":[{"$ref":"a"}]})") ==
        "OpenAPIV3Schema '$ref' is not supported");
  CHECK(ConversionErrorOf(R"({"properties":{"b":{"id":"x"},"a":{"$ref":"a"}}})") ==
        "OpenAPIV3Schema '$ref' is not supported");
}

TEST_CASE("A structural schema keeps what pruning needs", "[schema][structural]") {
  const TestSchema schema(
      R"({"type":"object","x-kubernetes-embedded-resource":true,"anyOf":[{"properties":{"c":{}}}],
          "properties":{"b":{"nullable":true,"default":{"x":[1]}},
                        "a":{"items":{"x-kubernetes-int-or-string":true}}}})");
  json::Arena arena;
  const StructuralSchema structural = MakeStructural(schema.props, arena);
  CHECK(structural.embedded_resource);
  REQUIRE(structural.properties.size() == 2);
  CHECK(structural.properties[0].name == "a");
  CHECK(structural.FindProperty("a")->items != nullptr);
  CHECK(structural.FindProperty("b")->nullable);
  CHECK(json::Print(*structural.FindProperty("b")->default_value) == R"({"x":[1]})");
  CHECK(structural.FindProperty("c") == nullptr);
}

TEST_CASE("additionalProperties prune alike whether true or false", "[schema][structural]") {
  json::Arena arena;
  const auto make = [&](std::string_view text) {
    return MakeStructural(TestSchema(text).props, arena);
  };
  CHECK(!make("{}").has_additional_properties);
  CHECK(make(R"({"additionalProperties":false})").has_additional_properties);
  CHECK(make(R"({"additionalProperties":true})").additional_schema == nullptr);
  CHECK(make(R"({"additionalProperties":{"x-kubernetes-preserve-unknown-fields":true}})")
            .additional_schema->preserve_unknown_fields);
}

TEST_CASE("A structural schema outlives what it was made of", "[schema][structural]") {
  json::Arena arena;
  auto schema =
      std::make_unique<TestSchema>(R"({"properties":{"a long name of a field":{"default":"x"}}})");
  const StructuralSchema structural = MakeStructural(schema->props, arena);
  schema.reset();
  CHECK(structural.FindProperty("a long name of a field")->default_value->text() == "x");
}

}  // namespace
}  // namespace kube::schema
