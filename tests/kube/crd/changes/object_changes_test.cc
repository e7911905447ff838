#include "kube/crd/object_changes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "kube/schema/defaulting.h"
#include "tests/support/test_schema.h"

namespace kube::crd {
namespace object_changes_test {

using schema::PatternChecks;

struct Row {
  std::string_view live, proposed;  ///< of spec
  std::string_view touched{},
      spared{};  ///< values of spec: what a change touches, and what none does
};

std::string Root(std::string_view spec) {
  return R"({"type":"object","properties":{"spec":)" + std::string(spec) + "}}";
}

// How many changes touch an object with this spec, which the server showed without pruning.
std::size_t CountTouching(const Row& row, std::string_view spec) {
  const support::TestSchema live(Root(row.live)), proposed(Root(row.proposed));
  ChangeList list;
  const auto difference = CompareSchemas({live.props, proposed.props}, "v1", list);
  REQUIRE(difference);
  json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"a"},"spec":)" +
                             std::string(spec) + "}"));
  json::Arena arena;
  const schema::StructuralSchema structural = schema::MakeStructural(proposed.props, arena);
  json::Value then = json::CopyForChange(object.root(), arena);
  REQUIRE(schema::ReadBySchema(then, &structural, arena));
  PatternChecks patterns([] { return std::chrono::nanoseconds(0); });
  std::vector<std::size_t> numbers;
  FindTouching({object.root(), then}, *difference, patterns, numbers);
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers.size();
}

TEST_CASE("A change touches the objects that are worse off by it", "[crd][changes]") {
  const Row row = GENERATE(values<Row>({
      {R"({"type":"string"})", R"({"type":"integer"})", R"("a")", "null"},
      {R"({"type":"number"})", R"({"type":"integer"})", "1.5", "2"},
      {R"({"x-kubernetes-int-or-string":true})", R"({"type":"string"})", "1", R"("1")"},
      {R"({"type":"string","enum":["a","b"]})", R"({"type":"string","enum":["b"]})", R"("a")",
       R"("b")"},
      // It was wrong before.
      {R"({"type":"string","enum":["a","b"]})", R"({"type":"string","enum":["b"]})", R"("a")",
       R"("c")"},
      {R"({"type":"integer"})", R"({"type":"integer","minimum":3})", "2", "3"},
      {R"({"type":"integer"})", R"({"type":"integer","minimum":3,"exclusiveMinimum":true})", "3",
       "4"},
      {R"({"type":"integer","maximum":9})", R"({"type":"integer","maximum":3})", "4", "10"},
      {R"({"type":"integer"})", R"({"type":"integer","multipleOf":3})", "4", "6"},
      {R"({"type":"string"})", R"({"type":"string","minLength":2})", R"("é")", R"("éé")"},
      {R"({"type":"string"})", R"({"type":"string","maxLength":2})", R"("éée")", R"("éé")"},
      {R"({"type":"string"})", R"({"type":"string","pattern":"^a"})", R"("ba")", R"("ab")"},
      {R"({"type":"string"})", R"({"type":"string","format":"date"})", R"("today")",
       R"("2026-11-24")"},
      {R"({"type":"integer","format":"int64"})", R"({"type":"integer","format":"int32"})",
       "2147483648", "2147483647"},
      {R"({"type":"string","nullable":true})", R"({"type":"string"})", "null", R"("a")"},
      {R"({"type":"array","items":{"type":"string"}})",
       R"({"type":"array","items":{"type":"string"},"minItems":2})", R"(["a"])", R"(["a","b"])"},
      {R"({"type":"array","items":{"type":"string"}})",
       R"({"type":"array","items":{"type":"string"},"maxItems":1})", R"(["a","b"])", R"(["a"])"},
      {R"({"type":"array","items":{"type":"string"}})",
       R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"})",
       R"(["a","b","a"])", R"(["a","b"])"},
      {R"({"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}}})",
       R"({"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}},
           "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]})",
       R"([{"k":"a"},{"k":"a"}])", R"([{"k":"a"},{"k":"b"}])"},
      {R"({"type":"array","items":{"type":"string","maxLength":3}})",
       R"({"type":"array","items":{"type":"string","maxLength":2}})", R"(["a","abc"])",
       R"(["a","abcd"])"},
      {R"({"type":"object","additionalProperties":{"type":"string","maxLength":3}})",
       R"({"type":"object","additionalProperties":{"type":"string","maxLength":2}})",
       R"({"a":"b","c":"abc"})", R"({"a":"b"})"},
      {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"type":"object"})",
       R"({"a":"b"})", "{}"},
      {R"({"type":"object","additionalProperties":{"type":"string"}})",
       R"({"type":"object","additionalProperties":false})", R"({"a":"b"})", "{}"},
      {R"({"type":"object","additionalProperties":true})",
       R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"a":1})",
       R"({"a":"1"})"},
      {R"({"type":"object","additionalProperties":{"type":"object",
           "x-kubernetes-preserve-unknown-fields":true}})",
       R"({"type":"object","additionalProperties":true})", R"({"a":{"b":1}})", R"({"a":{}})"},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})", R"({"type":"object"})",
       R"({"a":1})", "{}"},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})",
       R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
           "properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}})",
       R"({"a":{"c":"1"}})", R"({"a":{"b":"1"},"c":1})"},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})",
       R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
           "properties":{"a":{"type":"string"}}})",
       R"({"a":1})", R"({"a":"1"})"},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"type":"object"})",
       R"({"a":null})", R"({"b":"1"})"},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})", "{}",
       R"({"a":"b"})"},
      // A null is dropped, and is nothing then.
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})",
       R"({"a":null})", R"({"a":""})"},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string","default":"b"}}})", "{}",
       R"({"a":"b"})"},
      {R"({"type":"object","properties":{"a":{"type":"string","default":"b"}}})",
       R"({"type":"object","properties":{"a":{"type":"string","default":"c"}}})", R"({"a":"b"})",
       R"({"a":"c"})"},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"}},
           "x-kubernetes-validations":[{"rule":"self.a == 'b'"}]})",
       R"({"a":"c"})", R"({"a":"b"})"},
      // The server has refused it until now.
      {R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 3"}]})",
       R"({"type":"integer"})", "3", "4"},
      // It was refused before.
      {R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 3"}]})",
       R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 5"}]})", "4", "3"},
      // Where the value is wrong by itself no rule is evaluated.
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"}},
           "x-kubernetes-validations":[{"rule":"self.a.size() == 1"}]})",
       R"({"a":"bc"})", R"({"a":5})"},
      // It changes nothing.
      {R"({"type":"integer"})",
       R"({"type":"integer","x-kubernetes-validations":[{"rule":"self == oldSelf && self > 1"}]})",
       "1", "2"},
      // What was kept whatever it is is held against rules from now on.
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})",
       R"({"type":"object","properties":{"a":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self > 1"}]}},
           "x-kubernetes-preserve-unknown-fields":true})",
       R"({"a":1})", R"({"a":2})"},
      {R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
           "oneOf":[{"required":["a"]},{"required":["b"]}]})",
       R"({"a":"1","b":"2"})", R"({"a":"1"})"},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"}},
           "not":{"required":["a"]}})",
       R"({"a":"1"})", "{}"},
      {R"({"type":"object","properties":{"a":{"type":"string"}}})",
       R"({"type":"object","properties":{"a":{"type":"string"}},"minProperties":1})", "{}",
       R"({"a":"1"})"},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})",
       R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
           "x-kubernetes-embedded-resource":true})",
       R"({"kind":"Pod"})", R"({"apiVersion":"v1","kind":"Pod"})"},
  }));
  INFO(row.live << " " << row.proposed);
  CHECK(CountTouching(row, row.touched) == 1);
  CHECK(CountTouching(row, row.spared) == 0);
}

TEST_CASE("A default saves what is required", "[crd][changes]") {
  const Row row{.live = R"({"type":"object","properties":{"a":{"type":"string"}}})",
                .proposed = R"({"type":"object","properties":{"a":{"type":"string","default":"b"}},
                                "required":["a"]})"};
  CHECK(CountTouching(row, "{}") == 1);  // the default itself
  CHECK(CountTouching(row, R"({"a":"1"})") == 0);
  // The object around it is not there.
  CHECK(CountTouching(row, "null") == 0);
}

TEST_CASE("What gets wider touches nobody", "[crd][changes]") {
  const Row row{.live = R"({"type":"string","maxLength":2,"enum":["a"],"pattern":"a"})",
                .proposed = R"({"x-kubernetes-int-or-string":true,"nullable":true})"};
  CHECK(CountTouching(row, R"("a")") == 0);
}

}  // namespace object_changes_test
}  // namespace kube::crd
