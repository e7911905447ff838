#include "migrate/report/field_tally.h"

#include <catch2/catch.hpp>

namespace migrate::report {
namespace {

TEST_CASE("A path counts once an object, with all types and writers", "[migrate][field_tally]") {
  FieldTally tally;
  tally.Add("spec.b", {{.offset = 1}, "ns/one"}, FieldType::kString, {"helm"},
            "2024-01-01T00:00:00Z");
  tally.Add("spec.b", {{.offset = 1}, "ns/one"}, FieldType::kNumber, {"kubectl"},
            "2023-01-01T00:00:00Z");
  tally.Add("spec.b", {{.offset = 2}, "ns/two"}, FieldType::kString, {"helm"}, "");
  tally.Add("spec.a", {{.offset = 2}, "ns/two"});
  const std::vector<FieldUse> uses = tally.Report();
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].path == "spec.a");
  CHECK(uses[0].types.empty());
  CHECK(uses[1].path == "spec.b");
  CHECK(uses[1].objects == 2);
  CHECK(uses[1].types == std::vector<std::string>{"number", "string"});
  CHECK(uses[1].managers == std::vector<std::string>{"helm", "kubectl"});
  CHECK(uses[1].last_written == "2024-01-01T00:00:00Z");
  CHECK(uses[1].examples == std::vector<std::string>{"ns/one", "ns/two"});
}

// As validation takes them for "type: integer" (apimachinery and kube-openapi, pkg/validation).
TEST_CASE("A whole number is an integer, however it is written", "[migrate][field_tally]") {
  const auto type_of = [](const char* text) {
    kube::json::Document document;
    REQUIRE_FALSE(document.Parse(text));
    return FieldTypeOf(document.root());
  };
  CHECK(type_of("1") == FieldType::kInteger);
  CHECK(type_of("-1.0") == FieldType::kInteger);
  CHECK(type_of("1e3") == FieldType::kInteger);
  CHECK(type_of("0.5") == FieldType::kNumber);
  CHECK(type_of("1e19") == FieldType::kNumber);
  CHECK(type_of("true") == FieldType::kBoolean);
  CHECK(type_of("null") == FieldType::kNull);
  CHECK(type_of("\"1\"") == FieldType::kString);
  CHECK(type_of("[1]") == FieldType::kArray);
  CHECK(type_of("{}") == FieldType::kObject);
}

TEST_CASE("Tallies merge to the same in any order", "[migrate][field_tally]") {
  FieldTally first, second;
  for (std::uint64_t i = 0; i < 10; ++i) {
    (i % 2 == 0 ? first : second)
        .Add("x", {{.offset = i}, std::to_string(i)}, FieldType::kNull, {}, "");
  }
  FieldTally forward, backward;
  forward.Merge(first);
  forward.Merge(second);
  backward.Merge(second);
  backward.Merge(first);
  CHECK(forward.Report()[0].objects == 10);
  CHECK(forward.Report()[0].examples == std::vector<std::string>{"0", "1", "2"});
  CHECK(backward.Report()[0].examples == forward.Report()[0].examples);
}

}  // namespace
}  // namespace migrate::report
