#include <catch2/catch.hpp>
#include <string>

#include "migrate/check/crd_guard.h"

namespace migrate::check {
namespace crd_shape_test {

CrdShape ShapeWith(const std::string& schema) {
  const std::string text =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"widgets.demo.example.com","uid":"u1"},)"
      R"("spec":{"group":"demo.example.com","scope":"Namespaced",)"
      R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,)"
      R"("storage":true,"schema":{"openAPIV3Schema":)" +
      schema + "}}]}}";
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  const auto crd = kube::crd::ReadCopiedCrd(document.root());
  REQUIRE(crd);
  return ShapeOf(*crd);
}

// By the rules of pruning (apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go).
TEST_CASE("What pruning keeps is the same whatever values are valid", "[migrate][crd_shape]") {
  const CrdShape before = ShapeWith(
      R"({"type":"object","required":["a"],"properties":{)"
      R"("b":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"}}}},)"
      R"("a":{"type":"string","enum":["x"],"maxLength":3}}})");
  const CrdShape loosened =
      ShapeWith(R"({"type":"object","description":"anything","properties":{)"
                R"("a":{"type":"string"},"b":{"type":"array","minItems":1,"items":)"
                R"({"type":"object","properties":{"c":{"type":"string","pattern":"x"}}}}}})");
  CHECK(before.schemas != loosened.schemas);
  CHECK(before.kept_fields == loosened.kept_fields);
}

TEST_CASE("What pruning keeps is another where a field is added or taken away",
          "[migrate][crd_shape]") {
  const std::string other = GENERATE(
      R"({"type":"object","properties":{}})",
      R"({"type":"object","properties":{"a":{"type":"object"},"z":{"type":"string"}}})",
      R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}}})",
      R"({"type":"object","properties":{"a":{"type":"object","items":{"properties":{"b":{}}}}}})",
      R"({"type":"object","properties":{"a":{"type":"object","additionalProperties":true}}})",
      R"({"type":"object","properties":{"a":{"type":"object","x-kubernetes-embedded-resource":true}}})",
      R"({"type":"object","properties":{"a":{"type":"object","default":{}}}})",
      R"({"type":"object","properties":{"a":{"type":"object","nullable":true}}})",
      R"({"type":"object","properties":{"a":{"type":"object"}},)"
      R"("x-kubernetes-preserve-unknown-fields":true})",
      "null");
  CAPTURE(other);
  const CrdShape before = ShapeWith(R"({"type":"object","properties":{"a":{"type":"object"}}})");
  CHECK(before.kept_fields != ShapeWith(other).kept_fields);
}

}  // namespace crd_shape_test
}  // namespace migrate::check
