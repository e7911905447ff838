#include "kube/schema/validation.h"

#include <catch2/catch.hpp>

#include "tests/support/test_schema.h"

// Expected strings are those of the API server (1.36); tests/vectors has many more.
namespace kube::schema {
namespace validation_test {

using support::TestSchema;
using Messages = std::vector<std::string>;

Messages Check(std::string_view text) {
  return support::Strings(ValidateStructural(TestSchema(text).props, ""));
}

/// The errors of a property foo of a root that is fine, without "properties[foo].".
Messages CheckProperty(const std::string& text) {
  Messages messages = Check(R"({"type":"object","properties":{"foo":)" + text + "}}");
  const std::string prefix = "properties[foo].";
  for (std::string& message : messages) {
    REQUIRE(message.starts_with(prefix));
    message.erase(0, prefix.size());
  }
  return messages;
}

TEST_CASE("Every specified value needs a type", "[schema][validation]") {
  CHECK(Check("{}") == Messages{"type: Required value: must not be empty at the root"});
  CHECK(CheckProperty("{}") ==
        Messages{"type: Required value: must not be empty for specified object fields"});
  CHECK(CheckProperty(R"({"type":"array","items":{}})") ==
        Messages{"items.type: Required value: must not be empty for specified array items"});
  CHECK(CheckProperty(R"({"type":"object","additionalProperties":{}})") ==
        Messages{"additionalProperties.type: Required value: must not be empty for specified "
                 "object fields"});
}

TEST_CASE("Unknown fields kept or an integer or string need no type", "[schema][validation]") {
  CHECK(CheckProperty(R"({"x-kubernetes-preserve-unknown-fields":true})").empty());
  CHECK(CheckProperty(R"({"x-kubernetes-int-or-string":true})").empty());
  CHECK(Check(R"({"x-kubernetes-preserve-unknown-fields":true})").empty());
}

TEST_CASE("The root is an object without additionalProperties", "[schema][validation]") {
  CHECK(Check(R"({"type":"array","items":{"type":"string"}})") ==
        Messages{"type: Invalid value: \"array\": must be object at the root"});
  CHECK(Check(R"({"type":"object","additionalProperties":false})") ==
        Messages{"additionalProperties: Forbidden: must not be used at the root"});
}

TEST_CASE("An array needs items", "[schema][validation]") {
  CHECK(CheckProperty(R"({"type":"array","x-kubernetes-preserve-unknown-fields":true})") ==
        Messages{"items: Required value: must be specified"});
  CHECK(CheckProperty(R"({"type":"array","items":true})") ==
        Messages{"items: Required value: must be specified"});
}

TEST_CASE("Embedded resources are objects with properties or unknown fields",
          "[schema][validation]") {
  CHECK(CheckProperty(R"({"x-kubernetes-embedded-resource":true,"additionalProperties":false})") ==
        Messages{
            "additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource "
            "is set",
            "properties: Required value: must not be empty if x-kubernetes-embedded-resource is "
            "true without x-kubernetes-preserve-unknown-fields",
            "type: Required value: must be object if x-kubernetes-embedded-resource is true"});
  CHECK(CheckProperty(R"({"type":"string","x-kubernetes-embedded-resource":true,
                          "x-kubernetes-preserve-unknown-fields":true})") ==
        Messages{"type: Invalid value: \"string\": must be object if "
                 "x-kubernetes-embedded-resource is true"});
}

TEST_CASE("Extensions exclude each other", "[schema][validation]") {
  CHECK(CheckProperty(R"({"type":"object","x-kubernetes-int-or-string":true,
                          "x-kubernetes-preserve-unknown-fields":true,
                          "x-kubernetes-embedded-resource":true})") ==
        Messages{"x-kubernetes-embedded-resource: Invalid value: true: must be false if "
                 "x-kubernetes-int-or-string is true",
                 "x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if "
                 "x-kubernetes-int-or-string is true"});
}

TEST_CASE("kind, apiVersion and metadata have their types", "[schema][validation]") {
  const std::string properties = R"("properties":{"kind":{"type":"integer"},
      "apiVersion":{"type":"object"},"metadata":{"type":"string"}}})";
  const Messages want = {"properties[apiVersion].type: Invalid value: \"object\": must be string",
                         "properties[kind].type: Invalid value: \"integer\": must be string",
                         "properties[metadata].type: Invalid value: \"string\": must be object"};
  CHECK(Check(R"({"type":"object",)" + properties) == want);
  CHECK(CheckProperty(R"({"type":"object","x-kubernetes-embedded-resource":true,)" + properties) ==
        want);
  CHECK(CheckProperty(R"({"type":"object",)" + properties).empty());
}

TEST_CASE("Metadata at the root may restrict names only", "[schema][validation]") {
  const std::string forbidden =
      "properties[metadata]: Forbidden: must not specify anything other than name and "
      "generateName, but metadata is implicitly specified";
  const auto [metadata, is_forbidden] = GENERATE(table<std::string, bool>({
      {R"("properties":{"name":{"type":"string","pattern":"^a"}})", false},
      {R"("properties":{"name":{"type":"string"},"generateName":{"type":"string"}})", false},
      {R"("properties":{},"enum":[],"allOf":[],"description":"","default":{"x":1})", false},
      {R"("items":true,"nullable":false,"x-kubernetes-preserve-unknown-fields":null)", false},
      {R"("properties":{"name":{"type":"string"},"labels":{"type":"object"}})", true},
      {R"("description":"a")", true},
      {R"("nullable":true)", true},
      {R"("required":[])", true},
      {R"("minProperties":0)", true},
      {R"("externalDocs":{})", true},
      {R"("example":1)", true},
      {R"("additionalProperties":false)", true},
      {R"("not":{})", true},
      {R"("x-kubernetes-map-type":"atomic")", true},
      {R"("x-kubernetes-list-map-keys":[])", true},
      {R"("x-kubernetes-validations":[])", true},
      {R"("x-kubernetes-preserve-unknown-fields":true)", true},
  }));
  CAPTURE(metadata);
  CHECK(Check(R"({"type":"object","properties":{"metadata":{"type":"object",)" + metadata +
              "}}}") == (is_forbidden ? Messages{forbidden} : Messages{}));
}

TEST_CASE("Value validations may not specify", "[schema][validation]") {
  const auto [keyword, want] = GENERATE(table<std::string, std::string>({
      {R"("type":"string")", "type: Forbidden: must be empty to be structural"},
      {R"("title":"a")", "title: Forbidden: must be empty to be structural"},
      {R"("description":"a")", "description: Forbidden: must be empty to be structural"},
      {R"("default":1)", "default: Forbidden: must be undefined to be structural"},
      {R"("nullable":true)", "nullable: Forbidden: must be false to be structural"},
      {R"("additionalProperties":true)",
       "additionalProperties: Forbidden: must be undefined to be structural"},
      {R"("additionalProperties":{"type":"string"})",
       "additionalProperties: Forbidden: must be undefined to be structural"},
      {R"("additionalProperties":false)", ""},
      {R"("x-kubernetes-preserve-unknown-fields":true)",
       "x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural"},
      {R"("x-kubernetes-embedded-resource":true)",
       "x-kubernetes-embedded-resource: Forbidden: must be false to be structural"},
      {R"("x-kubernetes-int-or-string":true)",
       "x-kubernetes-int-or-string: Forbidden: must be false to be structural"},
      {R"("x-kubernetes-list-map-keys":["a"])",
       "x-kubernetes-list-map-keys: Forbidden: must be empty to be structural"},
      {R"("x-kubernetes-list-map-keys":[])", ""},
      {R"("x-kubernetes-list-type":"")",
       "x-kubernetes-list-type: Forbidden: must be undefined to be structural"},
      {R"("x-kubernetes-map-type":"granular")",
       "x-kubernetes-map-type: Forbidden: must be undefined to be structural"},
      {R"("x-kubernetes-validations":[{"rule":"true"}])",
       "x-kubernetes-validations: Forbidden: must be empty to be structural"},
      {R"("properties":{"metadata":{}})",
       "properties[metadata]: Forbidden: must not be specified in a nested context"},
      {R"("format":"a","minimum":1,"enum":[1],"required":["a"],"externalDocs":{},"example":1)", ""},
  }));
  CAPTURE(keyword);
  const std::string schema = "{" + keyword + "}";
  const auto at = [&message = want](const std::string& path) {
    return message.empty() ? Messages{} : Messages{path + message};
  };
  CHECK(CheckProperty(R"({"type":"object","oneOf":[{},)" + schema + "]}") == at("oneOf[1]."));
  CHECK(CheckProperty(R"({"type":"object","not":{"allOf":[)" + schema + "]}}") ==
        at("not.allOf[0]."));
  CHECK(CheckProperty(R"({"type":"object","anyOf":[{"items":)" + schema + "}]}") ==
        at("anyOf[0].items."));
}

TEST_CASE("An integer or a string may be told by the type in anyOf", "[schema][validation]") {
  const std::string pattern = R"("anyOf":[{"type":"integer"},{"type":"string"}])";
  CHECK(CheckProperty(R"({"x-kubernetes-int-or-string":true,)" + pattern + "}").empty());
  CHECK(CheckProperty(R"({"type":"string",)" + pattern + "}").empty());
  CHECK(CheckProperty(R"({"type":"string","allOf":[{"minimum":1,)" + pattern + "},{}]}").empty());
  CHECK(CheckProperty(R"({"type":"string","anyOf":[{"type":"integer","additionalProperties":false},
                          {"type":"string","enum":[],"items":true,"default":null}]})")
            .empty());
}

TEST_CASE("What only resembles the pattern of an integer or string is refused",
          "[schema][validation]") {
  const std::string any_of =
      GENERATE(R"([{"type":"string"},{"type":"integer"}])", R"([{"type":"integer"}])",
               R"([{"type":"integer"},{"type":"string"},{}])",
               R"([{"type":"integer","required":[]},{"type":"string"}])",
               R"([{"type":"integer","properties":{}},{"type":"string"}])",
               R"([{"type":"integer"},{"type":"string","minLength":0}])",
               R"([{"type":"integer"},{"type":"string","x-kubernetes-list-map-keys":[]}])");
  CAPTURE(any_of);
  CHECK(!CheckProperty(R"({"type":"string","anyOf":)" + any_of + "}").empty());
  const std::string pattern = R"({"anyOf":[{"type":"integer"},{"type":"string"}]})";
  CHECK(!CheckProperty(R"({"type":"string","allOf":[{},)" + pattern + "]}").empty());
  CHECK(!CheckProperty(R"({"type":"string","not":)" + pattern + "}").empty());
}

TEST_CASE("Patterns are regular expressions of Go", "[schema][validation]") {
  CHECK(CheckProperty(R"({"type":"string","pattern":"[","not":{"pattern":"a(b"}})") ==
        Messages{"not.pattern: Invalid value: \"a(b\": must be a valid regular expression, but "
                 "isn't: error parsing regexp: missing closing ): `a(b`",
                 "pattern: Invalid value: \"[\": must be a valid regular expression, but isn't: "
                 "error parsing regexp: missing closing ]: `[`"});
}

TEST_CASE("Paths start at the base path", "[schema][validation]") {
  const TestSchema schema(R"({"type":"object","properties":{"a":{}}})");
  CHECK(support::Strings(ValidateStructural(schema.props, "spec.validation.openAPIV3Schema")) ==
        Messages{"spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be "
                 "empty for specified object fields"});
}

}  // namespace validation_test
}  // namespace kube::schema
