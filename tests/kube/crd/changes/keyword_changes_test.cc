#include "kube/crd/keyword_changes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::crd {
namespace keyword_changes_test {

// "kind from -> to", a "!" before what may break somebody.
std::vector<std::string> Compare(std::string_view live, std::string_view proposed) {
  const support::TestSchema before(live), after(proposed);
  std::vector<std::string> found;
  for (const KeywordChange& change : CompareKeywords(before.props, after.props)) {
    found.push_back((change.breaking ? "!" : "") + std::string(NameOf(change.kind)) + " " +
                    change.from + " -> " + change.to);
  }
  return found;
}

struct Row {
  std::string_view live, proposed;
  std::string_view there, back;  // what is found, and the other way round
};

TEST_CASE("What one schema asks of a value and another does not is told, narrower or wider",
          "[crd][changes]") {
  const Row row = GENERATE(values<Row>({
      {R"({"type":"string"})", R"({"type":"integer"})", "!type string -> integer",
       "!type integer -> string"},
      {R"({"type":"integer"})", R"({"type":"number"})", "type integer -> number",
       "!type number -> integer"},
      {R"({"type":"string"})", R"({"x-kubernetes-int-or-string":true})",
       "type string -> int-or-string", "!type int-or-string -> string"},
      {R"({"type":"integer"})", R"({"x-kubernetes-int-or-string":true})",
       "type integer -> int-or-string", "!type int-or-string -> integer"},
      {R"({"type":"number"})", R"({"x-kubernetes-int-or-string":true})",
       "!type number -> int-or-string", "!type int-or-string -> number"},
      {R"({"type":"object"})", R"({"x-kubernetes-preserve-unknown-fields":true})",
       "type object -> any", "!type any -> object"},
      {R"({"nullable":true})", "{}", "!nullable true -> false", "nullable false -> true"},
      {R"({"enum":["a","b"]})", R"({"enum":["b"]})", R"(!enum ["a"] -> )", R"(enum  -> ["a"])"},
      {R"({"enum":["a"]})", R"({"enum":["b"]})", R"(!enum ["a"] -> ["b"])",
       R"(!enum ["b"] -> ["a"])"},
      {R"({"enum":["a",1]})", "{}", R"(enum ["a",1] -> )", R"(!enum  -> ["a",1])"},
      {R"({"minimum":1})", R"({"minimum":2})", "!minimum >= 1 -> >= 2", "minimum >= 2 -> >= 1"},
      {R"({"minimum":1})", R"({"minimum":1,"exclusiveMinimum":true})", "!minimum >= 1 -> > 1",
       "minimum > 1 -> >= 1"},
      {"{}", R"({"minimum":0.5})", "!minimum  -> >= 0.5", "minimum >= 0.5 -> "},
      {R"({"maximum":2})", R"({"maximum":1})", "!maximum <= 2 -> <= 1", "maximum <= 1 -> <= 2"},
      {R"({"maximum":2})", R"({"maximum":2,"exclusiveMaximum":true})", "!maximum <= 2 -> < 2",
       "maximum < 2 -> <= 2"},
      {R"({"multipleOf":2})", R"({"multipleOf":4})", "!multipleOf 2 -> 4", "multipleOf 4 -> 2"},
      {R"({"multipleOf":2})", R"({"multipleOf":3})", "!multipleOf 2 -> 3", "!multipleOf 3 -> 2"},
      {R"({"minLength":1})", R"({"minLength":2})", "!minLength 1 -> 2", "minLength 2 -> 1"},
      {R"({"maxLength":2})", R"({"maxLength":1})", "!maxLength 2 -> 1", "maxLength 1 -> 2"},
      {R"({"minItems":1})", R"({"minItems":2})", "!minItems 1 -> 2", "minItems 2 -> 1"},
      {"{}", R"({"maxItems":1})", "!maxItems  -> 1", "maxItems 1 -> "},
      {"{}", R"({"minProperties":1})", "!minProperties  -> 1", "minProperties 1 -> "},
      {"{}", R"({"maxProperties":1})", "!maxProperties  -> 1", "maxProperties 1 -> "},
      {"{}", R"({"uniqueItems":true})", "!uniqueItems false -> true", "uniqueItems true -> false"},
      {"{}", R"({"pattern":"^a"})", "!pattern  -> ^a", "pattern ^a -> "},
      {R"({"pattern":"b"})", R"({"pattern":"^a"})", "!pattern b -> ^a", "!pattern ^a -> b"},
      {R"({"type":"string"})", R"({"type":"string","format":"date"})", "!format  -> date",
       "format date -> "},
      {"{}", R"({"x-kubernetes-list-type":"set"})", "!listType atomic -> set",
       "listType set -> atomic"},
      {R"({"x-kubernetes-list-type":"atomic"})", R"({"x-kubernetes-list-type":"map"})",
       "!listType atomic -> map", "listType map -> atomic"},
      {R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"]})",
       R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"]})",
       "!listMapKeys a -> a, b", "!listMapKeys a, b -> a"},
      {"{}", R"({"x-kubernetes-map-type":"atomic"})", "mapType granular -> atomic",
       "mapType atomic -> granular"},
      {"{}", R"({"x-kubernetes-embedded-resource":true})", "!embeddedResource false -> true",
       "!embeddedResource true -> false"},
      {"{}", R"({"x-kubernetes-validations":[{"rule":"self > 1"},{"rule":"self < 3"}]})",
       "!validations  -> self > 1 and 1 more", "validations self > 1 and 1 more -> "},
      {R"({"x-kubernetes-validations":[{"rule":"self > 1"}]})",
       R"({"x-kubernetes-validations":[{"rule":"self > 2"}]})", "!validations self > 1 -> self > 2",
       "!validations self > 2 -> self > 1"},
      {"{}", R"({"allOf":[{"minimum":1}]})", "!allOf  -> 1 schema", "allOf 1 schema -> "},
      {R"({"anyOf":[{"minimum":1}]})", R"({"anyOf":[{"minimum":2},{"maximum":0}]})",
       "!anyOf 1 schema -> 2 schemas", "!anyOf 2 schemas -> 1 schema"},
      {R"({"oneOf":[{"minimum":1}]})", "{}", "oneOf 1 schema -> ", "!oneOf  -> 1 schema"},
      {"{}", R"({"not":{"minimum":1}})", "!not  -> 1 schema", "not 1 schema -> "},
  }));
  INFO(row.live << " " << row.proposed);
  CHECK(Compare(row.live, row.proposed) == std::vector<std::string>{std::string(row.there)});
  CHECK(Compare(row.proposed, row.live) == std::vector<std::string>{std::string(row.back)});
  CHECK(Compare(row.live, row.live).empty());
}

TEST_CASE("What says the same in other words is no change", "[crd][changes]") {
  CHECK(Compare(R"({"description":"a","title":"b"})", R"({"description":"c"})").empty());
  CHECK(Compare(R"({"enum":["a","b"]})", R"({"enum":["b","a"]})").empty());
  CHECK(Compare(R"({"x-kubernetes-list-type":"atomic"})", "{}").empty());
  CHECK(Compare(R"({"x-kubernetes-map-type":"granular"})", "{}").empty());
  CHECK(Compare(R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"]})",
                R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["b","a"]})")
            .empty());
  CHECK(Compare(R"({"x-kubernetes-validations":[{"rule":"true","message":"a"}]})",
                R"({"x-kubernetes-validations":[{"rule":"true","message":"b"}]})")
            .empty());
}

TEST_CASE("Where no value fits both types that is all there is to tell", "[crd][changes]") {
  CHECK(Compare(R"({"type":"string","maxLength":3})", R"({"type":"boolean"})") ==
        std::vector<std::string>{"!type string -> boolean"});
  CHECK(Compare(R"({"x-kubernetes-int-or-string":true})", R"({"type":"string","maxLength":3})") ==
        std::vector<std::string>{"!type int-or-string -> string", "!maxLength  -> 3"});
}

TEST_CASE("Long texts are shortened", "[crd][changes]") {
  const std::string longer(1000, 'x');
  const auto found = Compare(R"({"pattern":")" + longer + R"("})", "{}");
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "pattern " + longer.substr(0, 200) + "... -> ");
}

}  // namespace keyword_changes_test
}  // namespace kube::crd
