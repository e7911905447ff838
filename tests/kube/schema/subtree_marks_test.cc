#include <catch2/catch.hpp>

#include "kube/schema/structural.h"
#include "tests/support/structural_text.h"

namespace kube::schema {
namespace {

using test::StructuralText;

TEST_CASE("Only the way to a default is marked", "[schema][subtree_marks]") {
  StructuralText schema(R"({"type": "object", "properties": {
    "a": {"type": "array", "items": {"type": "object", "properties": {"x": {"default": 1}}}},
    "b": {"type": "object", "default": {}, "properties": {"y": {"type": "string"}}}}})");
  MarkSubtrees(*schema);
  CHECK(schema->may_have_defaults_below);
  CHECK(schema->FindProperty("a")->may_have_defaults_below);
  CHECK(schema->FindProperty("a")->items->may_have_defaults_below);
  CHECK_FALSE(schema->FindProperty("b")->may_have_defaults_below);
  CHECK_FALSE(schema->may_have_embedded);
}

TEST_CASE("Only the way to an embedded resource is marked, itself included",
          "[schema][subtree_marks]") {
  StructuralText schema(R"({"type": "object", "properties": {
    "a": {"type": "object", "additionalProperties":
      {"type": "object", "x-kubernetes-embedded-resource": true,
       "properties": {"spec": {"type": "object"}}}},
    "b": {"type": "object"}}})");
  MarkSubtrees(*schema);
  CHECK(schema->may_have_embedded);
  CHECK(schema->FindProperty("a")->additional_schema->may_have_embedded);
  CHECK_FALSE(schema->FindProperty("a")->additional_schema->properties[0].schema.may_have_embedded);
  CHECK_FALSE(schema->FindProperty("b")->may_have_embedded);
}

TEST_CASE("Marking again sees that a default is gone", "[schema][subtree_marks]") {
  StructuralText schema(R"({"type": "object", "properties": {"a": {"default": 1}}})");
  MarkSubtrees(*schema);
  schema->properties[0].schema.default_value.reset();
  MarkSubtrees(*schema);
  CHECK_FALSE(schema->may_have_defaults_below);
}

}  // namespace
}  // namespace kube::schema
