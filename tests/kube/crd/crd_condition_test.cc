#include "kube/crd/crd_condition.h"

#include <catch2/catch.hpp>

#include "tests/support/test_schema.h"

namespace kube::crd {
namespace {

using support::TestCrd;

std::optional<CrdCondition> ConditionOf(const Crd& crd) {
  return NonStructuralSchemaCondition(crd, FindStructuralProblems(crd));
}

/// The spec of v1 with these openAPIV3Schemas, of versions v0, v1, ...
std::string SpecWith(const std::vector<std::string>& schemas, const std::string& more = "") {
  std::string versions;
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    if (i > 0) versions += ",";
    versions += R"({"name":"v)" + std::to_string(i) + R"(","schema":{"openAPIV3Schema":)" +
                schemas[i] + "}}";
  }
  return R"({"versions":[)" + versions + "]" + more + "}";
}

TEST_CASE("A structural CRD that prunes has no condition", "[crd_condition]") {
  CHECK(!ConditionOf(TestCrd("v1", SpecWith({R"({"type":"object"})"}))));
  CHECK(!ConditionOf(TestCrd("v1", R"({"versions":[{"name":"v1"}]})")));
}

TEST_CASE("preserveUnknownFields comes first, then versions by index", "[crd_condition]") {
  const auto condition = ConditionOf(
      TestCrd("v1", SpecWith({"{}", R"({"type":"array"})"}, R"(,"preserveUnknownFields":true)")));
  REQUIRE(condition);
  CHECK(condition->status == "True");
  CHECK(condition->reason == "Violations");
  CHECK(condition->message ==
        "[spec.preserveUnknownFields: Invalid value: true: must be false, "
        "spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the "
        "root, "
        "spec.versions[1].schema.openAPIV3Schema.items: Required value: must be specified, "
        "spec.versions[1].schema.openAPIV3Schema.type: Invalid value: \"array\": must be object at "
        "the root]");
}

TEST_CASE("The schema of the whole CRD is found at fault in each version", "[crd_condition]") {
  const auto condition = ConditionOf(
      TestCrd("v1beta1", R"({"versions":[{"name":"a"},{"name":"b"}],"preserveUnknownFields":false,
                             "validation":{"openAPIV3Schema":{}}})"));
  REQUIRE(condition);
  CHECK(condition->message ==
        "[spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the "
        "root, spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at "
        "the root]");
}

TEST_CASE("A schema that cannot be converted hides all other findings", "[crd_condition]") {
  const Crd crd = TestCrd("v1", SpecWith({"{}", R"({"$ref":"a"})", R"({"id":"a"})"}));
  const auto condition = ConditionOf(crd);
  REQUIRE(condition);
  CHECK(condition->status == "Unknown");
  CHECK(condition->reason == "StructuralError");
  CHECK(condition->message ==
        "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not "
        "supported");
}

TEST_CASE("Problems are told by version", "[crd_condition]") {
  const auto problems = FindStructuralProblems(
      TestCrd("v1", SpecWith({"{}", R"({"$ref":"a"})", R"({"type":"object"})"})));
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].errors.size() == 1);
  CHECK(!problems[0].structural());
  CHECK(problems[1].conversion_error == "OpenAPIV3Schema '$ref' is not supported");
  CHECK(problems[1].errors.empty());
  CHECK(problems[2].version == "v2");
  CHECK(problems[2].structural());
}

}  // namespace
}  // namespace kube::crd
