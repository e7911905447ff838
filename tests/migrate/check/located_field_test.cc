#include <catch2/catch.hpp>

#include "migrate/check/version_validity.h"
#include "tests/support/test_schema.h"

namespace migrate::check {
namespace located_field_test {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{
        "a.b":{"type":"string"},
        "list":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"}}}},
        "map":{"type":"object","additionalProperties":{"type":"object"}}}}}})";

struct Row {
  std::string_view field;
  std::string_view folded;
  std::vector<std::string> steps;
};

TEST_CASE("A field of an error is found in the object", "[migrate][located_field]") {
  const support::TestSchema schema(kSchema);
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(
      R"({"spec":{"a.b":1,"list":[{},{"c":1}],"map":{"x.y":{"z":1},"k[0]":{}},"odd":{"p.q":[[1]]}}})"));
  const Row row = GENERATE(values<Row>({
      {"<nil>", "", {}},
      {"", "", {}},
      {"spec", "spec", {"spec"}},
      {"spec.a.b", "spec['a.b']", {"spec", "a.b"}},
      {"spec.list[1].c", "spec.list[*].c", {"spec", "list", "1", "c"}},
      {"spec.list[0].c", "spec.list[*].c", {"spec", "list", "0", "c"}},  // is required, and lacking
      {"spec.map.x.y.z", "spec.map.*.z", {"spec", "map", "x.y", "z"}},
      {"spec.map[x.y].z", "spec.map.*.z", {"spec", "map", "x.y", "z"}},
      {"spec.map.k[0]", "spec.map.*", {"spec", "map", "k[0]"}},
      {"spec.odd.p.q[0][0]", "spec.odd['p.q'][*][*]", {"spec", "odd", "p.q", "0", "0"}},
      {"spec.list[9]", "spec.list[*]", {"spec", "list", "9"}},
      {"spec.list[", "spec.list[*]", {"spec", "list", "0"}},
      {"none.at.all", "none.at.all", {"none", "at", "all"}},
  }));
  INFO(row.field);
  kube::json::MemberIndex members;
  const LocatedField located = LocateField(row.field, object.root(), schema.props, members);
  CHECK(located.folded_path == row.folded);
  std::vector<std::string> steps;
  for (const kube::schema::PathElement& element : located.elements) {
    steps.push_back(element.is_index ? std::to_string(element.index) : std::string(element.key));
  }
  CHECK(steps == row.steps);
}

}  // namespace located_field_test
}  // namespace migrate::check
