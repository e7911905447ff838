#include <catch2/catch.hpp>

#include "kube/schema/schema_props.h"
#include "tests/support/test_schema.h"

namespace kube::schema {
namespace {

using support::TestSchema;

/// The error of reading `text`, "" if there is none.
std::string ErrorOf(std::string_view text) {
  json::Document document;
  REQUIRE(!document.Parse(text));
  const auto schema = ReadSchemaProps(document.root());
  return schema ? "" : schema.error();
}

std::string Nested(std::size_t levels) {
  std::string text;
  for (std::size_t i = 1; i < levels; ++i) text += R"({"items":)";
  return text + "{}" + std::string(levels - 1, '}');
}

TEST_CASE("Properties are sorted by name", "[schema][schema_props]") {
  const TestSchema schema(R"({"properties":{"b":{"type":"string"},"a":{},"B":{}}})");
  REQUIRE(schema.props.properties.size() == 3);
  CHECK(schema.props.properties[0].first == "B");
  CHECK(schema.props.FindProperty("b")->type == "string");
  CHECK(schema.props.FindProperty("c") == nullptr);
}

TEST_CASE("Unknown keywords are ignored and keys are case-sensitive", "[schema][schema_props]") {
  const TestSchema schema(R"({"Type":"object","x-vendor":[1],"properties":{"a":{"TITLE":1}}})");
  CHECK(schema.props.type.empty());
  CHECK(schema.props.FindProperty("a")->title.empty());
}

TEST_CASE("null is absent, but a null schema in a map or list is an empty one",
          "[schema][schema_props]") {
  const TestSchema schema(
      R"({"type":null,"default":null,"items":null,"not":null,"required":null,"maximum":null,
          "x-kubernetes-preserve-unknown-fields":null,"properties":{"a":null},"allOf":[null]})");
  CHECK(!schema.props.default_value);
  CHECK(schema.props.items == nullptr);
  CHECK(schema.props.not_schema == nullptr);
  CHECK(!schema.props.required);
  CHECK(!schema.props.maximum);
  CHECK(!schema.props.x_preserve_unknown_fields);
  CHECK(schema.props.FindProperty("a") != nullptr);
  CHECK(schema.props.all_of.size() == 1);
}

TEST_CASE("What was written as empty is not nil", "[schema][schema_props]") {
  const TestSchema schema(
      R"({"required":[],"properties":{},"allOf":[],"enum":[],"x-kubernetes-validations":[],
          "$ref":"","dependencies":{}})");
  CHECK((schema.props.required && schema.props.required->empty()));
  CHECK(!schema.props.properties.is_nil);
  CHECK(!schema.props.all_of.is_nil);
  CHECK(schema.props.enum_values);
  CHECK(schema.props.x_validations);
  CHECK(schema.props.ref == "");
  CHECK(!schema.props.dependencies.is_nil);
  CHECK(schema.props.any_of.is_nil);
}

TEST_CASE("items that are neither a schema nor a list are no items", "[schema][schema_props]") {
  CHECK(TestSchema(R"({"items":true})").props.ItemsSchema() == nullptr);
  CHECK(TestSchema(R"({"items":"x"})").props.ItemsSchema() == nullptr);
  CHECK(TestSchema(R"({"items":{"type":"string"}})").props.ItemsSchema()->type == "string");
  CHECK(TestSchema(R"({"items":[{},{}]})").props.items->schemas.size() == 2);
}

TEST_CASE("additionalProperties are a boolean or a schema", "[schema][schema_props]") {
  CHECK(!TestSchema(R"({"additionalProperties":false})").props.additional_properties->allows);
  CHECK(TestSchema(R"({"additionalProperties":true})").props.additional_properties->allows);
  const TestSchema schema(R"({"additionalProperties":{"type":"string"}})");
  CHECK(schema.props.additional_properties->allows);
  CHECK(schema.props.additional_properties->schema->type == "string");
}

TEST_CASE("Rules of x-kubernetes-validations are read", "[schema][schema_props]") {
  const TestSchema schema(
      R"({"x-kubernetes-validations":[{"rule":"self > 0","message":"m","reason":"FieldValueInvalid",
          "optionalOldSelf":true}]})");
  const ValidationRule& rule = schema.props.x_validations->at(0);
  CHECK(rule.rule == "self > 0");
  CHECK(rule.reason == "FieldValueInvalid");
  CHECK(rule.optional_old_self == true);
  CHECK(rule.field_path.empty());
}

// What encoding/json says, with the types of apiextensions v1.
TEST_CASE("Wrong types are refused in the words of encoding/json", "[schema][schema_props]") {
  const std::string prefix = "json: cannot unmarshal ";
  const auto [text, want] = GENERATE(table<std::string, std::string>({
      {R"({"properties":{"a":{"type":["x"]}}})",
       "array into Go struct field JSONSchemaProps.properties.type of type string"},
      {R"({"properties":{"a":true}})",
       "bool into Go struct field JSONSchemaProps.properties of type v1.JSONSchemaProps"},
      {R"({"minimum":"1"})", "string into Go struct field JSONSchemaProps.minimum of type float64"},
      {R"({"maxLength":1.0})",
       "number 1.0 into Go struct field JSONSchemaProps.maxLength of type int64"},
      {R"({"maxLength":99999999999999999999})",
       "number 99999999999999999999 into Go struct field JSONSchemaProps.maxLength of type int64"},
      {R"({"required":"a"})",
       "string into Go struct field JSONSchemaProps.required of type []string"},
      {R"({"required":["a",1]})",
       "number into Go struct field JSONSchemaProps.required of type string"},
      {R"({"not":{"not":{"enum":3}}})",
       "number into Go struct field JSONSchemaProps.not.not.enum of type []v1.JSON"},
      {R"({"externalDocs":{"url":1}})",
       "number into Go struct field ExternalDocumentation.externalDocs.url of type string"},
      {R"({"properties":[]})",
       "array into Go struct field JSONSchemaProps.properties of type "
       "map[string]v1.JSONSchemaProps"},
      {R"([])", "array into Go value of type v1.JSONSchemaProps"},
  }));
  CHECK(ErrorOf(text) == prefix + want);
}

TEST_CASE("The first wrong type counts", "[schema][schema_props]") {
  CHECK(ErrorOf(R"({"type":5,"format":6})") ==
        "json: cannot unmarshal number into Go struct field JSONSchemaProps.type of type string");
}

TEST_CASE("An error below items names items and wins over earlier ones", "[schema][schema_props]") {
  CHECK(ErrorOf(R"({"format":5,"items":{"properties":{"a":{"type":true}}}})") ==
        "json: cannot unmarshal bool into Go struct field JSONSchemaProps.items of type string");
  CHECK(ErrorOf(R"({"type":5,"additionalProperties":"x"})") == "boolean or JSON schema expected");
}

TEST_CASE("Schemas are read down to a fixed depth", "[schema][schema_props]") {
  CHECK(ErrorOf(Nested(kMaxSchemaDepth)).empty());
  CHECK(ErrorOf(Nested(kMaxSchemaDepth + 1)) == "schemas are nested deeper than 1000 levels");
}

TEST_CASE("A small schema cannot have endless paths", "[schema][schema_props]") {
  // What a message about each of the schemas, or keys, would quote.
  const std::string name(100'000, 'n');
  std::string properties, keys;
  for (int i = 0; i < 1000; ++i) {
    properties += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":{}";
    keys += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\"";
  }
  const std::string want = "the paths of the schemas take more than 32 MiB together";
  CHECK(ErrorOf("{\"properties\":{\"" + name + "\":{\"properties\":{" + properties + "}}}}") ==
        want);
  CHECK(ErrorOf("{\"properties\":{\"" + name + "\":{\"x-kubernetes-list-map-keys\":[" + keys +
                "]}}}") == want);
  CHECK(ErrorOf("{\"x-kubernetes-list-map-keys\":[" + keys + "],\"items\":{\"type\":\"" + name +
                "\"}}") == want);
  CHECK(
      ErrorOf("{\"properties\":{\"" + name + "\":{},\"m\":{\"properties\":{" + properties + "}}}}")
          .empty());
}

}  // namespace
}  // namespace kube::schema
