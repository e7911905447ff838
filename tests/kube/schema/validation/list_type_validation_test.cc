#include "kube/schema/list_type_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace list_type_validation_test {

using support::TestSchema;

struct Row {
  std::string_view name;
  std::string_view schema;
  std::string_view value;
  std::vector<std::string> errors;
};

// What k8s.io/apiextensions-apiserver 0.36 answers, sorted.
const Row kRows[] = {
    {"Duplicates in a set are reported once",
     R"({"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set"},"m":{"additionalProperties":{"type":"array","x-kubernetes-list-type":"set"}}}})",
     R"({"a":["a","b","a","a"],"m":{"k":["a","b","a","a"]}})",
     {R"(a[2]: Duplicate value: "a")", R"(m[k][2]: Duplicate value: "a")"}},
    {"1 and 1.0 differ in a set",
     R"({"type":"object","properties":{"a":{"x-kubernetes-list-type":"set"},"m":{"additionalProperties":{"x-kubernetes-list-type":"set"}}}})",
     R"({"a":[1,1.0],"m":{"k":[1,1.0]}})",
     {}},
    {"{1} and {1.0} do not",
     R"({"type":"object","properties":{"a":{"x-kubernetes-list-type":"set"},"m":{"additionalProperties":{"x-kubernetes-list-type":"set"}}}})",
     R"({"a":[{"a":1},{"a":1.0}],"m":{"k":[{"a":1},{"a":1.0}]}})",
     {R"(a[1]: Duplicate value: {"a":1})", R"(m[k][1]: Duplicate value: {"a":1})"}},
    {"A map with one key",
     R"({"type":"object","properties":{"a":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]},"m":{"additionalProperties":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]}}}})",
     R"({"a":[{"k":"a"},{"k":"a","v":1},{},null],"m":{"k":[{"k":"a"},{"k":"a","v":1},{},null]}})",
     {R"(a[1]: Duplicate value: {"k":"a"})", "a[3]: Duplicate value: {}",
      R"(m[k][1]: Duplicate value: {"k":"a"})", "m[k][3]: Duplicate value: {}"}},
    {"A map with two keys",
     R"({"type":"object","properties":{"a":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","l"]},"m":{"additionalProperties":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","l"]}}}})",
     R"({"a":[{"k":"a","l":1},{"l":1,"k":"a"},{"k":"a"}],"m":{"k":[{"k":"a","l":1},{"l":1,"k":"a"},{"k":"a"}]}})",
     {R"(a[1]: Duplicate value: {"k":"a","l":1})", R"(m[k][1]: Duplicate value: {"k":"a","l":1})"}},
    {"A map of something else",
     R"({"type":"object","properties":{"a":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]},"m":{"additionalProperties":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]}}}})",
     R"({"a":["a","a"],"m":{"k":["a","a"]}})",
     {R"(a[0]: Invalid value: "a": must be an object for an array of list-type map)",
      R"(m[k][0]: Invalid value: "a": must be an object for an array of list-type map)"}},
    {"A list in a list",
     R"({"type":"object","properties":{"a":{"items":{"x-kubernetes-list-type":"set"}},"m":{"additionalProperties":{"items":{"x-kubernetes-list-type":"set"}}}}})",
     R"({"a":[["a","a"]],"m":{"k":[["a","a"]]}})",
     {R"(a[0][1]: Duplicate value: "a")", R"(m[k][0][1]: Duplicate value: "a")"}},
    {"atomic lists may hold duplicates",
     R"({"type":"object","properties":{"a":{"x-kubernetes-list-type":"atomic"},"m":{"additionalProperties":{"x-kubernetes-list-type":"atomic"}}}})",
     R"({"a":[1,1],"m":{"k":[1,1]}})",
     {}}};

TEST_CASE("Duplicates in lists of type set and map are found", "[list_types]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) {
      const TestSchema schema(row.schema);
      json::Document document;
      REQUIRE(!document.Parse(row.value));
      CHECK(meta::SortedStrings(ValidateListTypes(document.root(), schema.props, "")) ==
            row.errors);
    }
  }
}

}  // namespace list_type_validation_test
}  // namespace kube::schema
