#include "kube/schema/defaulting.h"

#include <catch2/catch.hpp>

#include "kube/schema/structural.h"
#include "tests/support/structural_text.h"

namespace kube::schema {
namespace {

using test::ParseOrThrow;
using test::StructuralText;
using Strings = std::vector<std::string>;

struct Row {
  std::string name;
  std::string schema;
  std::string object;
  std::string result;
  Strings added;
};

TEST_CASE("Defaults are set as the API server sets them", "[schema][defaulting]") {
  const auto row = GENERATE(values<Row>({
      {"absent", R"({"properties": {"a": {"default": "x"}}})", "{}", R"({"a":"x"})", {"a"}},
      {"present", R"({"properties": {"a": {"default": "x"}}})", R"({"a":"y"})", R"({"a":"y"})", {}},
      {"null",
       R"({"properties": {"a": {"default": "x"}}})",
       R"({"a":null})",
       R"({"a":"x"})",
       {"a"}},
      {"nullable null",
       R"({"properties": {"a": {"default": "x", "nullable": true}}})",
       R"({"a":null})",
       R"({"a":null})",
       {}},
      {"no parent",
       R"({"properties": {"p": {"properties": {"a": {"default": 1}}}}})",
       "{}",
       "{}",
       {}},
      {"below a default",
       R"({"properties": {"p": {"default": {}, "properties": {"a": {"default": 1}}}}})",
       "{}",
       R"({"p":{"a":1}})",
       {"p"}},
      {"array elements",
       R"({"properties": {"l": {"items": {"default": 7}}, "n": {"items": {"type": "integer"}}}})",
       R"({"l":[null,1],"n":[null]})",
       R"({"l":[7,1],"n":[null]})",
       {"l[*]"}},
      {"fields of elements",
       R"({"properties": {"l": {"items": {"properties": {"a": {"default": 1}}}}}})",
       R"({"l":[{},{"a":2},3,{}]})",
       R"({"l":[{"a":1},{"a":2},3,{"a":1}]})",
       {"l[*].a", "l[*].a"}},
      {"map values",
       R"({"properties": {"m": {"additionalProperties": {"default": {"d": 1},
           "properties": {"a": {"default": 2}}}}}})",
       R"({"m":{"k1":null,"k2":{}}})",
       R"({"m":{"k1":{"a":2,"d":1},"k2":{"a":2}}})",
       {"m.*", "m.*.a"}},
      {"a map of anything",
       R"({"properties": {"m": {"additionalProperties": true}}})",
       R"({"m":{"k":null}})",
       R"({"m":{"k":null}})",
       {}},
      {"another type",
       R"({"properties": {"p": {"properties": {"a": {"default": 1}}}}})",
       R"({"p":"s"})",
       R"({"p":"s"})",
       {}},
      {"the root's own default", R"({"default": {"a": 1}})", "{}", "{}", {}},
  }));
  CAPTURE(row.name);
  StructuralText schema(row.schema);
  const bool marked = GENERATE(false, true);
  if (marked) MarkSubtrees(*schema);
  json::Document document;
  json::Value object = ParseOrThrow(row.object, document);
  Strings added;
  CHECK(SetDefaults(object, *schema, document.arena(), &added));
  CHECK(json::Print(object) == row.result);
  CHECK(added == row.added);
}

TEST_CASE("Two objects do not share a default", "[schema][defaulting]") {
  StructuralText schema(R"({"properties": {"a": {"default": {"x": 1}}}})");
  json::Document document;
  json::Value list = ParseOrThrow("[{}, {}]", document);
  for (json::Value& object : list.elements()) {
    REQUIRE(SetDefaults(object, *schema, document.arena()));
  }
  list.elements()[0].Find("a")->Find("x")[0] = json::Value::Bool(true);
  CHECK(json::Print(list) == R"([{"a":{"x":true}},{"a":{"x":1}}])");
  CHECK(json::Print(*schema->properties[0].schema.default_value) == R"({"x":1})");
}

TEST_CASE("Defaults that multiply are stopped", "[schema][defaulting]") {
  std::string hundred = "[{}";
  for (int i = 1; i < 100; ++i) hundred += ",{}";
  std::string text = R"({"type": "object"})";
  for (int depth = 0; depth < 8; ++depth) {
    text = R"({"properties": {"l": {"default": )" + hundred + R"(], "items": )" + text + "}}}";
  }
  StructuralText schema(text);
  json::Document document;
  json::Value object = ParseOrThrow("{}", document);
  CHECK_FALSE(SetDefaults(object, *schema, document.arena()));
}

std::string PrunedDefault(std::string_view schema_text) {
  StructuralText schema(schema_text);
  if (auto error = PruneDefaults(*schema, schema.arena())) return *error;
  const auto& value = schema->properties.at(0).schema.default_value;
  return value ? json::Print(*value) : "none";
}

TEST_CASE("Defaults are pruned as if they were in an object", "[schema][defaulting]") {
  const auto [schema, result] = GENERATE(table<std::string, std::string>({
      {R"({"properties": {"a": {"default": {"x": 1, "y": null}, "properties": {"y": {}}}}})",
       R"({"y":null})"},
      {R"({"properties": {"a": {"default": [{"x": 1}], "items": {"type": "object"}}}})", "[{}]"},
      {R"({"properties": {"a": {"default": {"x": 1}, "x-kubernetes-preserve-unknown-fields":
          true}}})",
       R"({"x":1})"},
      {R"({"properties": {"e": {"x-kubernetes-embedded-resource": true, "default":
          {"kind": 5, "apiVersion": "v1", "metadata": {"name": "n", "x": 1, "labels": {"a": 1}},
           "spec": 1}}}})",
       R"({"apiVersion":"v1","metadata":{"name":"n"}})"},
      // At the root these three are held to their Go types.
      {R"({"properties": {"kind": {"default": 5}}})", "none"},
      {R"({"properties": {"kind": {"default": "K"}}})", R"("K")"},
      {R"({"properties": {"metadata": {"default": {"x": 1}}}})", "{}"},
  }));
  CHECK(PrunedDefault(schema) == result);
}

TEST_CASE("Defaults in items and maps are pruned too", "[schema][defaulting]") {
  StructuralText schema(R"({"properties": {
    "l": {"items": {"default": {"x": 1, "y": 2}, "properties": {"y": {}}}},
    "m": {"additionalProperties": {"default": {"x": 1, "y": 2}, "properties": {"y": {}}}}}})");
  REQUIRE_FALSE(PruneDefaults(*schema, schema.arena()));
  CHECK(json::Print(*schema->FindProperty("l")->items->default_value) == R"({"y":2})");
  CHECK(json::Print(*schema->FindProperty("m")->additional_schema->default_value) == R"({"y":2})");
}

TEST_CASE("A default of the root must be an object", "[schema][defaulting]") {
  StructuralText schema(R"({"default": "x"})");
  CHECK(PruneDefaults(*schema, schema.arena()) ==
        "failed to prune default value: object root default value must be of object type");
}

}  // namespace
}  // namespace kube::schema
