#include <catch2/catch.hpp>

#include "kube/schema/schema_props.h"
#include "tests/support/test_schema.h"

namespace kube::schema {
namespace {

using support::TestSchema;

/// What PrintGo says of the fields up to and with `last` of a schema.
std::string PrintUpTo(std::string_view text, std::string_view last) {
  const std::string printed = PrintGo(TestSchema(text).props);
  return printed.substr(0, printed.find(std::string(",\"").append(last)));
}

std::string PrintField(std::string_view text, std::string_view field, std::string_view next) {
  const std::string printed = PrintGo(TestSchema(text).props);
  const std::size_t begin = printed.find(std::string("\"").append(field).append("\":"));
  const std::size_t end = printed.find(std::string(",\"").append(next).append("\":"), begin);
  return printed.substr(begin, end - begin);
}

TEST_CASE("Every field of the Go type is printed", "[schema][schema_props]") {
  CHECK(PrintGo(TestSchema(R"({"type":"object"})").props) ==
        R"({"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,)"
        R"("Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,)"
        R"("Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,)"
        R"("Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,)"
        R"("Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,)"
        R"("AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,)"
        R"("AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,)"
        R"("AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,)"
        R"("XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,)"
        R"("XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null})");
}

TEST_CASE("Texts and defaults are printed as JSON of Go", "[schema][schema_props]") {
  CHECK(
      PrintUpTo(R"({"$ref":"","description":"<a>","default":{"b":1.0,"a":"\u0001"}})", "Maximum") ==
      R"({"ID":"","Schema":"","Ref":"","Description":"\u003ca\u003e","Type":"",)"
      R"("Nullable":false,"Format":"","Title":"","Default":{"a":"\u0001","b":1})");
}

TEST_CASE("Lists and maps tell nil from empty", "[schema][schema_props]") {
  CHECK(PrintField(R"({"enum":[null,"a"],"required":[]})", "Enum", "Items") ==
        R"("Enum":[null,"a"],"MaxProperties":null,"MinProperties":null,"Required":[])");
  CHECK(PrintField(R"({"allOf":[],"properties":{}})", "AllOf", "AdditionalProperties") ==
        R"("AllOf":[],"OneOf":null,"AnyOf":null,"Not":null,"Properties":{})");
}

TEST_CASE("Alternatives are printed as structs", "[schema][schema_props]") {
  CHECK(PrintField(R"({"items":true})", "Items", "AllOf") ==
        R"("Items":{"Schema":null,"JSONSchemas":null})");
  CHECK(
      PrintField(R"({"additionalProperties":false,"dependencies":{"b":["x"],"a":[]}})",
                 "AdditionalProperties", "AdditionalItems") ==
      R"("AdditionalProperties":{"Allows":false,"Schema":null},"PatternProperties":null,)"
      R"("Dependencies":{"a":{"Schema":null,"Property":[]},"b":{"Schema":null,"Property":["x"]}})");
}

TEST_CASE("Rules and documentation are printed as structs", "[schema][schema_props]") {
  const TestSchema schema(
      R"({"externalDocs":{"url":"u"},"x-kubernetes-validations":[{"rule":"r","reason":"x"}]})");
  const std::string printed = PrintGo(schema.props);
  CHECK(printed.find(R"("ExternalDocs":{"Description":"","URL":"u"})") != std::string::npos);
  CHECK(printed.ends_with(
      R"("XValidations":[{"Rule":"r","Message":"","MessageExpression":"","Reason":"x",)"
      R"("FieldPath":"","OptionalOldSelf":null}]})"));
}

}  // namespace
}  // namespace kube::schema
