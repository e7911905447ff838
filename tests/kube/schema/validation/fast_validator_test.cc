#include "kube/schema/fast_validator.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace fast_validator_test {

struct Row {
  std::string_view schema;
  std::string_view value;
  bool is_expected;
};

FastValidator::QuickResult LookAt(const Row& row) {
  const support::TestSchema schema(row.schema);
  json::Document value;
  REQUIRE_FALSE(value.Parse(row.value));
  PatternChecks patterns([] { return std::chrono::nanoseconds(0); });
  return FastValidator(schema.props).Look(value.root(), patterns);
}

// What is false here need not be invalid: it is looked at again.
TEST_CASE("What is valid beyond doubt is told at a glance", "[schema][glance]") {
  const Row row = GENERATE(values<Row>({
      {R"({"type":"string"})", R"("a")", true},
      {R"({"type":"string"})", "1", false},
      {R"({"type":"string","maxLength":2,"minLength":2})", R"("éé")", true},
      {R"({"type":"string","maxLength":2})", R"("abc")", false},
      {R"({"type":"string","minLength":2})", R"("é")", false},
      {R"({"type":"string","enum":["a","b"]})", R"("b")", true},
      {R"({"type":"string","enum":["a","b"]})", R"("c")", false},
      {R"({"type":"integer","enum":[1]})", "1", false},
      {R"({"type":"string","pattern":"^a"})", R"("ab")", true},
      {R"({"type":"string","pattern":"^a"})", R"("b")", false},
      {R"({"type":"string","format":"date-time"})", R"("2026-11-24T00:00:00Z")", true},
      {R"({"type":"string","format":"date-time"})", R"("today")", false},
      {R"({"type":"string","format":"none-such"})", R"("x")", true},
      {R"({"type":"integer","minimum":1,"maximum":3})", "3", true},
      {R"({"type":"integer","minimum":1})", "0", false},
      {R"({"type":"integer","maximum":3,"exclusiveMaximum":true})", "3", false},
      {R"({"type":"integer","format":"int32"})", "2147483648", false},
      // The limit itself is at fault.
      {R"({"type":"integer","minimum":0.5})", "3", false},
      {R"({"type":"integer","format":"int32","maximum":4294967295})", "3", false},
      {R"({"type":"number","minimum":0.5})", "3", true},
      {R"({"type":"integer"})", "1.5", false},
      {R"({"type":"number"})", "1.5", true},
      {R"({"type":"number"})", "1", true},
      {R"({"type":"boolean"})", "true", true},
      {R"({"type":"boolean"})", R"("true")", false},
      {R"({"x-kubernetes-int-or-string":true})", "1", true},
      {R"({"x-kubernetes-int-or-string":true})", R"("1")", true},
      {R"({"x-kubernetes-int-or-string":true})", "true", false},
      {R"({"type":"array","minItems":1,"items":{"type":"string"}})", R"(["a"])", true},
      {R"({"type":"array","minItems":1})", "[]", false},
      {R"({"type":"array","items":{"type":"string"}})", "[1]", false},
      {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"a":"b"})", true},
      {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"a":1})", false},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"b":1})", true},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"a":null})", false},
      {R"({"type":"object","required":["a"],"properties":{"a":{}}})", R"({"a":1})", true},
      {R"({"type":"object","required":["a"],"properties":{"a":{}}})", "{}", false},
      // Its default comes; and what is not specified goes.
      {R"({"type":"object","required":["a"],"properties":{"a":{"default":1}}})", "{}", true},
      {R"({"type":"object","required":["a"]})", R"({"a":1})", false},
      {R"({"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],
           "properties":{"a":{},"b":{}}})",
       R"({"b":1})", true},
      {R"({"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],
           "properties":{"a":{},"b":{}}})",
       "{}", false},
      {R"({"type":"object","allOf":[{"required":["b"]}],"properties":{"a":{}}})", R"({"b":1})",
       false},
      {R"({"type":"object","allOf":[{"properties":{"a":{"enum":["x"]}}}],
           "properties":{"a":{"type":"string","default":"y"}}})",
       "{}", false},
      {R"({"type":"object","oneOf":[{}]})", "{}", false},
      {R"({"type":"object","maxProperties":5})", "{}", false},
      {R"({"type":"object","x-kubernetes-embedded-resource":true})", "{}", false},
  }));
  INFO(row.schema << " " << row.value);
  CHECK(LookAt(row).is_valid == row.is_expected);
}

// What is false here need not lose anything: it is looked at again.
TEST_CASE("What loses nothing beyond doubt is told at a glance", "[schema][glance]") {
  const Row row = GENERATE(values<Row>({
      {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"a":"x"})", true},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"a":"x","b":1})", false},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"a":1})", false},
      {R"({"type":"object"})",
       R"({"apiVersion":"a/v1","kind":"K","metadata":{"name":"n","odd":{}}})", true},
      {R"({"type":"object","properties":{"metadata":{"type":"object"}}})",
       R"({"metadata":{"name":"n"}})", true},
      {R"({"type":"object","properties":{"metadata":{"type":"object"}}})",
       R"({"b":1,"metadata":{"name":"n"}})", false},
      {R"({"type":"object","properties":{"a":{"type":"object"}}})", R"({"a":{"kind":"K"}})", false},
      {R"({"type":"object","additionalProperties":{"type":"integer"}})", R"({"a":1})", true},
      {R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}})",
       R"({"a":[{}]})", true},
      {R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}})",
       R"({"a":[{},{"b":1}]})", false},
      {R"({"type":"object","properties":{"a":{"type":"array"}}})", R"({"a":[{"b":1}]})", false},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})", R"({"b":{"c":1}})",
       true},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
           "properties":{"a":{"type":"object"}}})",
       R"({"a":{"b":1}})", false},
      {R"({"type":"object","properties":{"a":{"type":"object","additionalProperties":true,
           "x-kubernetes-preserve-unknown-fields":true}}})",
       R"({"a":{"b":{"c":1}}})", false},
      {R"({"type":"object","properties":{"a":{"type":"object","additionalProperties":true,
           "x-kubernetes-preserve-unknown-fields":true}}})",
       R"({"a":{"b":[{"c":1}]}})", false},
      {R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object",
           "additionalProperties":true,"x-kubernetes-preserve-unknown-fields":true}}}})",
       R"({"a":[{"b":{"c":1}}]})", false},
      {R"({"type":"object","additionalProperties":true})", R"({"a":{"b":1}})", false},
      {R"({"type":"object","allOf":[{"properties":{"b":{}}}],"properties":{"a":{}}})", R"({"b":1})",
       false},
      {R"({"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],
           "properties":{"a":{},"b":{}}})",
       R"({"b":1})", true},
  }));
  INFO(row.schema << " " << row.value);
  CHECK(LookAt(row).loses_nothing == row.is_expected);
}

}  // namespace fast_validator_test
}  // namespace kube::schema
