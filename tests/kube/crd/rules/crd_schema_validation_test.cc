#include "kube/crd/crd_schema_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/meta/make_field_error.h"
#include "kube/schema/structural.h"
#include "kube/schema/validation.h"
#include "tests/support/test_schema.h"

namespace kube::crd {
namespace {

using support::TestSchema;

struct Row {
  std::string_view name;
  std::string_view schema;
  std::vector<std::string> errors;
};

// What k8s.io/apiextensions-apiserver 0.36 answers, sorted, with what it finds not structural.
const Row kRows[] = {
    {"Unsupported keywords",
     R"({"type":"object","properties":{"a":{"type":"string","id":"x","$ref":"","additionalItems":false,"patternProperties":{"x":{"type":"string"}},"definitions":{"x":{"type":"string"}},"dependencies":{}}}})",
     {"properties[a].$ref: Forbidden: $ref is not supported",
      "properties[a].additionalItems: Forbidden: additionalItems is not supported",
      "properties[a].definitions: Forbidden: definitions is not supported",
      "properties[a].dependencies: Forbidden: dependencies is not supported",
      "properties[a].id: Forbidden: id is not supported",
      "properties[a].patternProperties: Forbidden: patternProperties is not supported"}},
    {"items as an array",
     R"({"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}})",
     {"properties[a].items: Forbidden: items must be a schema object and not an array"}},
    {"Unknown types and null",
     R"({"type":"object","properties":{"a":{"type":"int"},"b":{"type":"null"}}})",
     {R"(properties[a].type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string")",
      "properties[b].type: Forbidden: type cannot be set to null, use nullable as an alternative",
      R"(properties[b].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string")"}},
    {"uniqueItems",
     R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"uniqueItems":true}}})",
     {"properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
      "complexity becomes quadratic"}},
    {"properties beside additionalProperties",
     R"({"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":{"type":"string"}},"b":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":true}}})",
     {"properties[a].additionalProperties: Forbidden: additionalProperties and properties are "
      "mutual exclusive"}},
    {"Defaults at the root's metadata",
     R"({"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","default":"x"}}},"kind":{"type":"string","default":"Foo"}}})",
     {"properties[kind].default: Forbidden: must not be set in top-level kind",
      "properties[metadata].properties[name].default: Forbidden: must not be set in top-level "
      "metadata"}},
    {"Defaults in maps of embedded metadata",
     R"({"type":"object","properties":{"a":{"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string","default":"x"}}}}},"x-kubernetes-embedded-resource":true}}})",
     {"properties[a].properties[metadata].properties[labels].additionalProperties.default: "
      "Forbidden: must not be set inside additionalProperties applying to object metadata"}},
    {"Embedded resources in metadata",
     R"({"type":"object","properties":{"a":{"type":"object","properties":{"metadata":{"type":"object","properties":{"x":{"type":"string"}},"x-kubernetes-embedded-resource":true}},"x-kubernetes-embedded-resource":true}}})",
     {"properties[a].properties[metadata].x-kubernetes-embedded-resource: Forbidden: must not be "
      "used inside of resource meta"}},
    {"preserve-unknown-fields false",
     R"({"type":"object","properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":false}}})",
     {"properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or "
      "undefined"}},
    {"List and map types on other types",
     R"({"type":"object","properties":{"a":{"type":"string","x-kubernetes-list-type":"set"},"b":{"type":"string","x-kubernetes-map-type":"atomic"},"c":{"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-list-type":"atomic","x-kubernetes-map-type":"granular"}}})",
     {R"(properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified)",
      R"(properties[b].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified)",
      "properties[c].type: Required value: must be array if x-kubernetes-list-type is specified",
      "properties[c].type: Required value: must be object if x-kubernetes-map-type is specified"}},
    {"Unknown list and map types",
     R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"bag"},"b":{"type":"object","x-kubernetes-map-type":"bag"}}})",
     {R"(properties[a].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map")",
      R"(properties[b].x-kubernetes-map-type: Unsupported value: "bag": supported values: "atomic", "granular")"}},
    {"Sets of compounds",
     R"({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","nullable":true}},"b":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}},"c":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","x-kubernetes-map-type":"atomic"}}}})",
     {"properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is "
      "set",
      "properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a "
      "list with x-kubernetes-list-type=set",
      R"(properties[b].items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set)"}},
    {"Map keys without a map",
     R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"x-kubernetes-list-map-keys":["k"]},"b":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set","x-kubernetes-list-map-keys":["k"]}}})",
     {"properties[a].x-kubernetes-list-type: Required value: must be map if "
      "x-kubernetes-list-map-keys is non-empty",
      R"(properties[b].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty)"}},
    {"A map without keys, items or objects",
     R"({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map"},"b":{"type":"array","x-kubernetes-list-type":"map","items":{"type":"string"}}}})",
     {"properties[a].items: Required value: must be specified",
      "properties[a].items: Required value: must have a schema if x-kubernetes-list-type is map",
      "properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if "
      "x-kubernetes-list-type is map",
      R"(properties[b].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map)",
      "properties[b].x-kubernetes-list-map-keys: Required value: must not be empty if "
      "x-kubernetes-list-type is map"}},
    {"Bad map keys",
     R"({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","a","b","x"],"items":{"type":"object","nullable":true,"required":["a"],"properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"string","nullable":true}}}}}})",
     {"properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is "
      "map",
      R"(properties[a].items.properties[a].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map)",
      "properties[a].items.properties[b].default: Required value: this property is in "
      "x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "properties[a].items.properties[b].nullable: Forbidden: this property is in "
      "x-kubernetes-list-map-keys, so it cannot be nullable",
      R"(properties[a].x-kubernetes-list-map-keys: Invalid value: ["a","a","b","x"]: entries must all be names of item properties)",
      R"(properties[a].x-kubernetes-list-map-keys: Invalid value: ["a","a","b","x"]: must not contain duplicate entries)"}},
    {"A map of an array of items",
     R"({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":[{"type":"string"}]}}})",
     {"properties[a].items: Forbidden: items must be a schema object and not an array",
      R"(properties[a].items: Invalid value: {"Schema":null,"JSONSchemas":[{"ID":"","Schema":"","Ref":null,"Description":"","Type":"string","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}]}: must only have a single schema if x-kubernetes-list-type is map)"}},
    {"Rules in all places",
     R"({"type":"object","not":{"anyOf":[{"allOf":[{"oneOf":[{"uniqueItems":true}]}]}]}})",
     {"not.anyOf[0].allOf[0].oneOf[0].uniqueItems: Forbidden: uniqueItems cannot be set to true "
      "since the runtime complexity becomes quadratic"}},
    {"Validation rules",
     R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"uniqueItems":true,"x-kubernetes-validations":[{"rule":" "},{"rule":"true","message":" "},{"rule":"true","message":"a\nb"},{"rule":"a\n||b"},{"rule":"true","messageExpression":" ","reason":"Bogus","fieldPath":"\n"},{"rule":"true","fieldPath":".c"},{"rule":"true","fieldPath":".b"},{"rule":"true","fieldPath":"['b']"}]}}})",
     {"properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
      "complexity becomes quadratic",
      "properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified",
      R"(properties[a].x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified)",
      R"(properties[a].x-kubernetes-validations[2].message: Invalid value: "a\nb": must not contain line breaks)",
      "properties[a].x-kubernetes-validations[3].message: Required value: message must be "
      "specified if rule contains line breaks",
      R"(properties[a].x-kubernetes-validations[4].fieldPath: Invalid value: "\n": must be a valid path)",
      R"(properties[a].x-kubernetes-validations[4].fieldPath: Invalid value: "\n": must be non-empty if specified)",
      R"(properties[a].x-kubernetes-validations[4].fieldPath: Invalid value: "\n": must not contain line breaks)",
      "properties[a].x-kubernetes-validations[4].messageExpression: Required value: "
      "messageExpression must be non-empty if specified",
      R"(properties[a].x-kubernetes-validations[4].reason: Unsupported value: "Bogus": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")",
      R"(properties[a].x-kubernetes-validations[5].fieldPath: Invalid value: ".c": must be a valid path)"}}};

TEST_CASE("openAPIV3Schema is refused for what the API server refuses it for", "[crd_schema]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) {
      const TestSchema schema(row.schema);
      auto errors = ValidateCrdSchema(schema.props, "", CrdRules(), nullptr);
      if (!schema::ConversionError(schema.props)) {
        for (auto& error : schema::ValidateStructural(schema.props, "")) {
          errors.push_back(std::move(error));
        }
      }
      meta::SortAndDeduplicate(errors);
      CHECK(meta::SortedStrings(errors) == row.errors);
    }
  }
}

TEST_CASE("Rules that the old CRD broke are not checked", "[crd_schema]") {
  const TestSchema schema(R"({"type":"object","properties":{
      "a":{"type":"int"},
      "b":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}},
      "c":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","nullable":true}}}})");
  CrdRules rules;
  CHECK(ValidateCrdSchema(schema.props, "", rules, nullptr).size() == 3);
  rules.require_valid_types = false;
  rules.require_atomic_sets = false;
  rules.require_map_keys = false;
  CHECK(ValidateCrdSchema(schema.props, "", rules, nullptr).empty());
}

// What JSONSchemaPropsOrArray's UnmarshalJSON (v1/marshal.go) makes of items that are no schema.
TEST_CASE("Items that are neither a schema nor a list are printed as nil", "[crd_schema]") {
  const auto check = [](std::string_view items) {
    const TestSchema schema(R"({"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["k"],"items":)" +
                            std::string(items) + "}");
    const auto errors = ValidateCrdSchema(schema.props, "", CrdRules(), nullptr);
    return errors.empty() ? "" : errors.front().ToString();
  };
  const std::string end = "}: must only have a single schema if x-kubernetes-list-type is map";
  CHECK(check("true") == R"(items: Invalid value: {"Schema":null,"JSONSchemas":null)" + end);
  CHECK(check("[]") == R"(items: Invalid value: {"Schema":null,"JSONSchemas":[])" + end);
}

TEST_CASE("Beside a status subresource the root may hold only what status does not lose",
          "[crd_schema]") {
  const auto check = [](std::string_view text) {
    const TestSchema schema(text);
    const auto errors = ValidateRootBesideStatus(schema.props, "root");
    return errors.empty() ? "" : errors.front().field;
  };
  CHECK(check(R"({"type":"object","description":"d","required":["a"]})") == "");
  CHECK(check(R"({"type":"string"})") == "root.type");
  CHECK(check(R"({"type":"object","allOf":[]})") == "root");
  CHECK(check(R"({"type":"object","nullable":true})") == "root");
  CHECK(check(R"({"type":"string","id":"x"})") == "root");
}

}  // namespace
}  // namespace kube::crd
