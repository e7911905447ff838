#include "kube/schema/value_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace value_validation_test {

using support::TestSchema;

struct Row {
  std::string_view name;
  std::string_view schema;
  std::string_view value;
  std::vector<std::string> errors;
};

// What k8s.io/apiextensions-apiserver 0.36 answers, sorted.
const Row kRows[] = {
    {"A string for an object",
     R"({"type":"object"})",
     R"("x")",
     {R"(<nil>: Invalid value: "string":  in body must be of type object: "string")"}},
    {"A number for an integer",
     R"({"type":"integer"})",
     "1.5",
     {R"(<nil>: Invalid value: "": Checked value must be of type integer (default format) in )",
      R"(<nil>: Invalid value: "number":  in body must be of type integer: "number")"}},
    {"A whole float is an integer", R"({"type":"integer"})", "1.0", {}},
    {"An integer is a number", R"({"type":"number"})", "1", {}},
    {"null is not nullable",
     R"({"type":"string"})",
     "null",
     {R"(<nil>: Invalid value: "null":  in body must be of type string: "null")"}},
    {"null where nullable", R"({"type":"string","nullable":true})", "null", {}},
    {"null without a type", "{}", "null", {}},
    {"null is in no enum",
     R"({"type":"string","nullable":true,"enum":["a",null]})",
     "null",
     {R"(<nil>: Unsupported value: null: supported values: "a", "null")"}},
    {"int-or-string",
     R"({"x-kubernetes-int-or-string":true})",
     "true",
     {R"(<nil>: Invalid value: "boolean":  in body must be of type integer,string: "boolean")"}},
    {"int-or-string takes a string", R"({"x-kubernetes-int-or-string":true})", R"("x")", {}},
    {"Paths",
     R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}}})",
     R"({"a":[{"b":1}]})",
     {R"(a[0].b: Invalid value: "integer": a[0].b in body must be of type string: "integer")"}},
    {"Paths in a map",
     R"({"type":"object","additionalProperties":{"type":"object","properties":{"b":{"type":"string"}}}})",
     R"({"k":{"b":1}})",
     {R"(k.b: Invalid value: "integer": .k.b in body must be of type string: "integer")"}},
    {"Paths in a list",
     R"({"type":"array","items":{"type":"string"}})",
     "[1]",
     {R"([0]: Invalid value: "integer": [0] in body must be of type string: "integer")"}},
    {"Required",
     R"({"type":"object","required":["a","b"]})",
     R"({"a":null})",
     {"b: Required value"}},
    {"additionalProperties false",
     R"({"type":"object","properties":{"a":{}},"additionalProperties":false})",
     R"({"a":1,"b":2})",
     {R"(<nil>: Invalid value: "b": .b in body is a forbidden property)"}},
    {"Sizes of an object",
     R"({"type":"object","minProperties":2,"maxProperties":0})",
     R"({"a":1})",
     {"<nil>: Invalid value: 1:  in body should have at least 2 properties",
      "<nil>: Too many: 1: must have at most 0 items"}},
    {"Sizes of a list",
     R"({"type":"array","minItems":2})",
     "[1]",
     {"<nil>: Invalid value: 1:  in body should have at least 2 items"}},
    {"Too many items",
     R"({"type":"array","maxItems":1})",
     "[1,2]",
     {"<nil>: Too many: 2: must have at most 1 item"}},
    {"Duplicates",
     R"({"type":"array","uniqueItems":true})",
     R"([{"a":1},{"a":1}])",
     {R"(<nil>: Invalid value: "":  in body shouldn't contain duplicates)"}},
    {"1 and 1.0 are no duplicates", R"({"type":"array","uniqueItems":true})", "[1,1.0]", {}},
    {"Too long",
     R"({"type":"string","maxLength":1})",
     R"("éé")",
     {"<nil>: Too long: may not be more than 1 byte"}},
    {"Too short",
     R"({"type":"string","minLength":3})",
     R"("éé")",
     {R"(<nil>: Invalid value: "éé":  in body should be at least 3 chars long)"}},
    {"Pattern",
     R"({"type":"string","pattern":"^a+$"})",
     R"("ab")",
     {R"(<nil>: Invalid value: "ab":  in body should match '^a+$')"}},
    {"Bad pattern",
     R"({"type":"string","pattern":"["})",
     R"("ab")",
     {R"(<nil>: Invalid value: "ab":  in body should match '[, but pattern is invalid: error parsing regexp: missing closing ]: `[`')"}},
    {"Enum",
     R"({"type":"string","enum":["a","b"]})",
     R"("c")",
     {R"(<nil>: Unsupported value: "c": supported values: "a", "b")"}},
    {"Enum of other types",
     R"({"enum":[1,true,{"a":1.0}]})",
     R"("c")",
     {R"(<nil>: Unsupported value: "c": supported values: "1", "true", "{\"a\":1}")"}},
    // kube-openapi keeps one error of each text (EnumFail, AddErrors); "%v" of both lists is [a b].
    {"Enums that read the same count once",
     R"({"allOf":[{"enum":["a b"]},{"enum":["a","b"]},{"enum":["1"]},{"enum":[1]}]})",
     R"("c")",
     {R"(<nil>: Invalid value: "": "" must validate all the schemas (allOf). None validated)",
      R"(<nil>: Unsupported value: "c": supported values: "1")",
      R"(<nil>: Unsupported value: "c": supported values: "a b")"}},
    {"1.5 counts as 1 in an enum", R"({"enum":[1]})", "1.5", {}},
    {"65 counts as A in an enum", R"({"enum":["A"]})", "65", {}},
    {"Minimum",
     R"({"type":"integer","minimum":3})",
     "2",
     {"<nil>: Invalid value: 2:  in body should be greater than or equal to 3"}},
    {"Exclusive minimum",
     R"({"type":"number","minimum":2,"exclusiveMinimum":true})",
     "2.0",
     {"<nil>: Invalid value: 2:  in body should be greater than 2"}},
    {"Maximum",
     R"({"type":"number","maximum":1.5})",
     "1000000.0",
     {"<nil>: Invalid value: 1e+06:  in body should be less than or equal to 1.5"}},
    {"Maximum of an integer with a fraction",
     R"({"type":"integer","maximum":1.5})",
     "3",
     {R"(<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in )",
      "<nil>: Invalid value: 3:  in body should be less than or equal to 1.5"}},
    {"Multiples",
     R"({"type":"integer","multipleOf":2})",
     "3",
     {"<nil>: Invalid value: 3:  in body should be a multiple of 2"}},
    {"Multiples of a fraction", R"({"type":"number","multipleOf":0.1})", "0.3", {}},
    {"No multiples of a fraction",
     R"({"type":"number","multipleOf":0.1})",
     "0.35",
     {"<nil>: Invalid value: 0.35:  in body should be a multiple of 0.1"}},
    {"Multiples of nothing",
     R"({"type":"number","multipleOf":0})",
     "3",
     {"<nil>: Invalid value: 0: factor MultipleOf declared for  must be positive: 0"}},
    {"int32",
     R"({"type":"integer","format":"int32"})",
     "2147483648",
     {R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in )"}},
    {"A large float is no int64",
     R"({"type":"integer"})",
     "1e+19",
     {R"(<nil>: Invalid value: "": Checked value must be of type integer (default format) in )",
      R"(<nil>: Invalid value: "number":  in body must be of type integer: "number")"}},
    {"float",
     R"({"type":"number","format":"float"})",
     "1e+39",
     {R"(<nil>: Invalid value: "": Checked value must be of type number with format float in )"}},
    {"A format of another type does not count", R"({"type":"integer","format":"float"})", "1", {}},
    {"An unknown format does not count", R"({"type":"string","format":"bogus"})", R"("x")", {}},
    {"A format",
     R"({"type":"string","format":"date"})",
     R"("x")",
     {R"(<nil>: Invalid value: "x":  in body must be of type date: "x")"}},
    {"Beside a format lists and strings pass the type", R"({"format":"date"})", "[1]", {}},
    {"anyOf shows the best alternative",
     R"({"anyOf":[{"type":"string"},{"required":["a"],"minProperties":1}]})",
     R"({"b":1})",
     {R"(<nil>: Invalid value: "": "" must validate at least one schema (anyOf))",
      R"(<nil>: Invalid value: "object":  in body must be of type string: "object")"}},
    {"anyOf with one that fits",
     R"({"anyOf":[{"type":"string"},{"type":"object"}]})",
     R"({"b":1})",
     {}},
    {"oneOf with none",
     R"({"type":"object","properties":{"s":{"oneOf":[{"required":["a"]},{"required":["b"]}]}}})",
     R"({"s":{}})",
     {R"(<nil>: Invalid value: "": "s" must validate one and only one schema (oneOf). Found none valid)",
      "s.a: Required value"}},
    {"oneOf with two",
     R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})",
     R"({"a":1,"b":1})",
     {R"(<nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives)"}},
    {"allOf with some",
     R"({"allOf":[{"required":["a"]},{"required":["b"]}]})",
     R"({"a":1})",
     {R"(<nil>: Invalid value: "": "" must validate all the schemas (allOf))",
      "b: Required value"}},
    {"allOf with none",
     R"({"allOf":[{"required":["a"]},{"required":["b"]}]})",
     "{}",
     {R"(<nil>: Invalid value: "": "" must validate all the schemas (allOf). None validated)",
      "a: Required value", "b: Required value"}},
    {"not",
     R"({"not":{"required":["a"]}})",
     R"({"a":1})",
     {R"(<nil>: Invalid value: "": "" must not validate the schema (not))"}}};

std::vector<std::string> Validate(std::string_view schema, std::string_view value,
                                  std::string_view path,
                                  ValidationKind kind = ValidationKind::kObject) {
  const TestSchema read(schema);
  json::Document document;
  REQUIRE(!document.Parse(value));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  return meta::SortedStrings(ValidateValue(document.root(), read.props, path, patterns, kind));
}

TEST_CASE("Values are refused for what the API server refuses them for", "[value_validation]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) { CHECK(Validate(row.schema, row.value, "") == row.errors); }
  }
}

TEST_CASE("Names of values start at the base path", "[value_validation]") {
  CHECK(Validate(R"({"type":"string"})", "1", "p.default") ==
        std::vector<std::string>{
            R"(p.default: Invalid value: "integer":  in body must be of type string: "integer")"});
  CHECK(Validate(R"({"items":{"type":"string"}})", "[1]", "p") ==
        std::vector<std::string>{
            R"(p.[0]: Invalid value: "integer": [0] in body must be of type string: "integer")"});
}

TEST_CASE("Defaults are validated in the form of a structural schema", "[value_validation]") {
  const auto kDefault = ValidationKind::kDefault;
  CHECK(Validate(R"({"x-kubernetes-int-or-string":true})", "true", "p", kDefault).empty());
  CHECK(Validate(R"({"type":"boolean","format":"int32"})", "true", "p", kDefault).empty());
  CHECK(Validate(R"({"type":"boolean","format":"int32"})", "{}", "p", kDefault) ==
        std::vector<std::string>{R"(p: Invalid value: "":  in body must be of type int32: "")"});
  CHECK(Validate(R"({"allOf":[{"additionalProperties":false}]})", R"({"a":1})", "p", kDefault)
            .empty());
}

TEST_CASE("A long list of faults is told apart in reasonable time", "[value_validation]") {
  std::string value = "[1";
  for (int i = 1; i < 20000; ++i) value += ",1";
  CHECK(Validate(R"({"items":{"type":"string"}})", value + "]", "").size() == 20000);
}

TEST_CASE("Errors beyond 16 MiB are one that says so", "[value_validation]") {
  std::string value = R"({")" + std::string(100000, 'n') + R"(":[1)";
  for (int i = 1; i < 1000; ++i) value += ",1";
  const auto errors =
      Validate(R"({"additionalProperties":{"items":{"type":"string"}}})", value + "]}", "");
  CHECK(errors.size() > 50);
  CHECK(errors.size() < 100);
  CHECK(errors[0] == "<nil>: Internal error: there are more errors than can be listed");
}

TEST_CASE("Errors of alternatives do not count where another one holds", "[value_validation]") {
  const std::string name(100000, 'n');
  std::string value = R"({"x":1,")" + name + R"(":[1)";
  for (int i = 1; i < 1000; ++i) value += ",1";
  const std::string alternatives =
      GENERATE(R"("anyOf":[{"type":"string"},{"type":"integer"}])",
               R"("oneOf":[{"type":"string"},{"type":"integer"}])", R"("not":{"type":"string"})");
  const auto errors = Validate(R"({"properties":{"x":{"type":"string"}},"additionalProperties":)"
                               R"({"items":{)" +
                                   alternatives + "}}}",
                               value + "]}", "");
  CHECK(errors ==
        std::vector<std::string>{
            R"(x: Invalid value: "integer": x in body must be of type string: "integer")"});
}

TEST_CASE("Where it cannot be told whether a pattern holds a value is not refused",
          "[value_validation]") {
  const std::string schema = GENERATE(as<std::string>(), R"({"not":{"pattern":"^\\p{Cn}$"}})",
                                      R"({"oneOf":[{"pattern":"^\\p{Cn}$"},{"pattern":"^a"}]})",
                                      R"({"anyOf":[{"pattern":"^\\p{Cn}$"},{"pattern":"^b"}]})",
                                      R"({"pattern":"^\\p{Cn}$"})");
  CHECK(Validate(schema, R"("a")", "").empty());
  CHECK(!Validate(R"({"not":{"pattern":"^a"}})", R"("a")", "").empty());
  CHECK(Validate(R"({"properties":{"a":{"pattern":"^\\p{Cn}$"},"b":{"type":"string"}}})",
                 R"({"a":"a","b":1})", "")
            .size() == 1);
}

TEST_CASE("A deep value needs a deep schema to be looked into", "[value_validation]") {
  std::string value;
  for (int i = 0; i < 9000; ++i) value += '[';
  for (int i = 0; i < 9000; ++i) value += ']';
  CHECK(Validate(R"({"items":{"items":{"type":"array"}}})", value, "").empty());
}

/// What is wrong with a change of `old` into `value` for a server that ratchets.
std::vector<std::string> ChangeErrors(const std::string& schema, const std::string& value,
                                      const std::string& old) {
  const TestSchema read(schema);
  json::Document now, before;
  REQUIRE(!now.Parse(value));
  REQUIRE(!before.Parse(old));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  return meta::SortedStrings(ValidateChange(now.root(), before.root(), read.props, "", patterns));
}

TEST_CASE("Of many members each is held against what it was, wherever that stood",
          "[value_validation]") {
  const std::string schema = R"({"type":"object","additionalProperties":{"type":"integer"}})";
  std::string now, old, list;
  for (int i = 0; i < 100; ++i) {
    const std::string key = "\"k" + std::to_string(i) + "\":";
    now += (i == 0 ? "" : ",") + key + (i == 7 ? "\"changed\"" : "\"a\"");
    old = key + "\"a\"" + (i == 0 ? "" : ",") + old;
    list += i == 0 ? "1" : ",1";
  }
  const auto errors = ChangeErrors(schema, "{" + now + "}", "{" + old + "}");
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].starts_with("k7: "));
  // Of what was a list, however long, nothing was a member.
  CHECK(ChangeErrors(schema, "{" + now + "}", "[" + list + "]").size() == 100);
}

}  // namespace value_validation_test
}  // namespace kube::schema
