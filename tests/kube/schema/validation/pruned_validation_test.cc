#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/object_validation.h"
#include "tests/support/test_schema.h"

namespace kube::schema {
namespace pruned_validation_test {

using Strings = std::vector<std::string>;
using support::TestSchema;

std::optional<Strings> Errors(const std::string& schema, const std::string& before,
                              const std::string& after) {
  const TestSchema read(schema);
  json::Document left, right;
  REQUIRE(!left.Parse(before));
  REQUIRE(!right.Parse(after));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  return ErrorsOfPruning(left.root(), right.root(), read.props, patterns);
}

// Wrapped into the property "a" of an object.
std::string Wrap(const std::string& schema) {
  return R"({"type":"object","properties":{"a":)" + schema + "}}";
}

struct Row {
  std::string name, schema, before, after;
  Strings errors;
};

// What kube-apiserver 1.20 answers for the pruned objects, in the words of later ones: those show
// the size of an object that is too small, where 1.20 shows the limit.
const std::vector<Row> kRows = {
    {"required, not specified",
     Wrap(R"({"type":"object","required":["p"]})"),
     R"({"a":{"p":1}})",
     R"({"a":{}})",
     {"a.p: Required value"}},
    {"minProperties",
     Wrap(R"({"type":"object","minProperties":1})"),
     R"({"a":{"p":1}})",
     R"({"a":{}})",
     {"a: Invalid value: 0: a in body should have at least 1 properties"}},
    {"an enum of objects",
     Wrap(R"({"type":"object","properties":{"x":{"type":"string"}},"enum":[{"x":"1","p":2}]})"),
     R"({"a":{"x":"1","p":2}})",
     R"({"a":{"x":"1"}})",
     {R"(a: Unsupported value: {"x":"1"}: supported values: "{\"p\":2,\"x\":\"1\"}")"}},
    {"not, of maxProperties",
     Wrap(R"({"type":"object","not":{"maxProperties":0}})"),
     R"({"a":{"p":1}})",
     R"({"a":{}})",
     {R"(<nil>: Invalid value: "": "a" must not validate the schema (not))"}},
    // As ValidateCustomResource of apiextensions 0.36.4 words them, and kube-apiserver 1.20 the one
    // in an array: what is below a value validation may be specified nowhere else.
    {"not, of a property",
     Wrap(R"({"type":"object","not":{"properties":{"p":{"maxLength":3}}}})"),
     R"({"a":{"p":"long one"}})",
     R"({"a":{}})",
     {R"(<nil>: Invalid value: "": "a" must not validate the schema (not))"}},
    {"not, of a property in an array",
     Wrap(R"({"type":"array","items":{"type":"object"},)"
          R"("not":{"items":{"properties":{"p":{"pattern":"^x"}}}}})"),
     R"({"a":[{"p":"long one"}]})",
     R"({"a":[{}]})",
     {R"(<nil>: Invalid value: "": "a" must not validate the schema (not))"}},
    {"anyOf",
     Wrap(R"({"type":"object","anyOf":[{"required":["p"]},{"required":["q"]}]})"),
     R"({"a":{"p":1}})",
     R"({"a":{}})",
     {R"(<nil>: Invalid value: "": "a" must validate at least one schema (anyOf))",
      "a.p: Required value"}},
    {"in the values of a map",
     Wrap(R"({"type":"object","additionalProperties":{"type":"object","minProperties":1}})"),
     R"({"a":{"u":{"p":1},"v":{"p":1}}})",
     R"({"a":{"u":{},"v":{}}})",
     {"a.u: Invalid value: 0: a.u in body should have at least 1 properties",
      "a.v: Invalid value: 0: a.v in body should have at least 1 properties"}},
};

TEST_CASE("Objects that pruning makes invalid have the server's errors", "[pruned_validation]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) {
      CHECK(CanPruningInvalidate(TestSchema(row.schema).props));
      CHECK(Errors(row.schema, row.before, row.after) == row.errors);
      CHECK(Errors(row.schema, row.before, row.before) == Strings());
    }
  }
}

TEST_CASE("An object that was invalid before is not made so by pruning", "[pruned_validation]") {
  const std::string schema = Wrap(R"({"type":"object","required":["p","q"]})");
  CHECK(Errors(schema, R"({"a":{"p":1}})", R"({"a":{}})") == Strings());
}

TEST_CASE("Where a pattern is undecided it is not known what pruning does", "[pruned_validation]") {
  const std::string schema =
      R"({"type":"object","minProperties":2,"properties":{"x":{"type":"string","pattern":"\\p{Cn}"}}})";
  CHECK(Errors(schema, R"({"x":"a","p":1})", R"({"x":"a"})") == std::nullopt);
}

TEST_CASE("Where nulls may be dropped a required field may go", "[pruned_validation]") {
  const std::string any = R"({"x-kubernetes-preserve-unknown-fields":true})";
  CHECK(CanPruningInvalidate(
      TestSchema(R"({"type":"object","required":["x"],"properties":{"x":)" + any + "}}").props));
  // A null is not 1 until it is gone; 1.20 takes it before, and refuses what is left.
  for (const std::string alternative : {"\"not\":", "\"oneOf\":["}) {
    const std::string schema = R"({"type":"object","properties":{"x":)" + any + "}," + alternative +
                               R"({"properties":{"x":{"enum":[1]}}})" +
                               (alternative.ends_with('[') ? R"(,{"required":["x"]}]})" : "}");
    CAPTURE(schema);
    CHECK(CanPruningInvalidate(TestSchema(schema).props));
  }
}

TEST_CASE("Schemas by which pruning cannot make anything invalid are known",
          "[pruned_validation]") {
  for (const std::string schema : {
           R"({"type":"string","pattern":"a","minLength":1,"maxLength":2,"enum":["a"]})",
           R"({"type":"integer","minimum":1,"maximum":2,"multipleOf":1})",
           R"({"type":"array","items":{"type":"object"},"minItems":1,"maxItems":2})",
           R"({"type":"object","properties":{"x":{"type":"string"}},"required":["x"]})",
           R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})",
           R"r({"type":"object","x-kubernetes-validations":[{"rule":"has(self.x)"}]})r",
       }) {
    CAPTURE(schema);
    CHECK_FALSE(CanPruningInvalidate(TestSchema(Wrap(schema)).props));
  }
}

}  // namespace pruned_validation_test
}  // namespace kube::schema
