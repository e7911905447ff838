#include "kube/schema/coercion.h"

#include <catch2/catch.hpp>

#include "kube/schema/structural.h"
#include "tests/support/structural_text.h"

namespace kube::schema {
namespace {

using test::ParseOrThrow;
using test::StructuralText;
using Strings = std::vector<std::string>;

struct NullRow {
  std::string name;
  std::string schema;
  std::string object;
  std::string result;
  Strings dropped;
};

TEST_CASE("Nulls are dropped where a schema forbids them and has no default", "[schema]") {
  const auto row = GENERATE(values<NullRow>({
      {"specified",
       R"({"properties": {"a": {"type": "string"}}})",
       R"({"a":null,"b":1})",
       R"({"b":1})",
       {"a"}},
      {"nullable",
       R"({"properties": {"a": {"nullable": true}}})",
       R"({"a":null})",
       R"({"a":null})",
       {}},
      {"with a default",
       R"({"properties": {"a": {"default": 1}}})",
       R"({"a":null})",
       R"({"a":null})",
       {}},
      {"unspecified",
       R"({"x-kubernetes-preserve-unknown-fields": true})",
       R"({"a":null})",
       R"({"a":null})",
       {}},
      {"without type",
       R"({"properties": {"a": {"x-kubernetes-preserve-unknown-fields": true}}})",
       R"({"a":null})",
       "{}",
       {"a"}},
      {"in a map",
       R"({"properties": {"m": {"additionalProperties": {"type": "string"}}}})",
       R"({"m":{"k.1":null,"k2":"x","k3":null}})",
       R"({"m":{"k2":"x"}})",
       {"m.*", "m.*"}},
      {"in a map of anything",
       R"({"properties": {"m": {"additionalProperties": true}}})",
       R"({"m":{"k":null}})",
       R"({"m":{"k":null}})",
       {}},
      {"in an array",
       R"({"properties": {"l": {"items": {"type": "string"}}}})",
       R"({"l":[null,"x"]})",
       R"({"l":[null,"x"]})",
       {}},
      {"below an array",
       R"({"properties": {"l": {"items": {"properties": {"a": {}}}}}})",
       R"({"l":[{"a":null},{"a":1,"b":null}]})",
       R"({"l":[{},{"a":1,"b":null}]})",
       {"l[*].a"}},
      {"a property wins over additionalProperties",
       R"({"properties": {"a": {"nullable": true}}, "additionalProperties": {"type": "string"}})",
       R"({"a":null,"b":null})",
       R"({"a":null})",
       {"*"}},
  }));
  CAPTURE(row.name);
  StructuralText schema(row.schema);
  json::Document document;
  json::Value object = ParseOrThrow(row.object, document);
  Strings dropped;
  DropNulls(object, *schema, &dropped);
  CHECK(json::Print(object) == row.result);
  CHECK(dropped == row.dropped);
}

constexpr char kEmbedded[] = R"({"type": "object", "properties": {
  "e": {"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true},
  "m": {"type": "object", "additionalProperties":
        {"type": "object", "x-kubernetes-embedded-resource": true}},
  "l": {"type": "array", "items": {"type": "object", "x-kubernetes-embedded-resource": true,
        "properties": {"inner": {"type": "object", "x-kubernetes-embedded-resource": true}}}}}})";

struct Coerced {
  std::string object;
  std::string error;
  Strings unknown_fields;
};

Coerced Coerce(std::string_view object_text, bool drop_invalid_fields) {
  StructuralText schema(kEmbedded);
  MarkSubtrees(*schema);
  json::Document document;
  json::Value object = ParseOrThrow(object_text, document);
  Strings unknown_fields;
  auto error =
      CoerceEmbedded(object, *schema, drop_invalid_fields, document.arena(), &unknown_fields);
  return {json::Print(object), error.value_or(""), unknown_fields};
}

TEST_CASE("Embedded metadata keeps known fields only, and says which were unknown", "[schema]") {
  const Coerced coerced = Coerce(
      R"({"m": {"k": {"metadata": {"name": "n", "z": 1}}},
          "l": [{"inner": {"metadata": {"y": 2}}, "metadata": {"x": 3}}],
          "e": {"metadata": {"labels": {"a": "b"}, "w": 4}, "spec": {"metadata": {"v": 5}}}})",
      false);
  CHECK(coerced.object == R"({"e":{"metadata":{"labels":{"a":"b"}},"spec":{"metadata":{"v":5}}},)"
                          R"("l":[{"inner":{"metadata":{}},"metadata":{}}],)"
                          R"("m":{"k":{"metadata":{"name":"n"}}}})");
  CHECK(coerced.unknown_fields ==
        Strings{"e.metadata.w", "l[0].inner.metadata.y", "l[0].metadata.x", "m[k].metadata.z"});
}

TEST_CASE("A bad embedded type is an error of a request and dropped from a read", "[schema]") {
  const auto [object, error, dropped] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"e":{"kind":null}})", "e.kind: Invalid value: null: must be a string", R"({"e":{}})"},
      {R"({"l":[{"apiVersion":1,"kind":"K"}]})",
       "l[0].apiVersion: Invalid value: 1: must be a string", R"({"l":[{"kind":"K"}]})"},
      {R"({"m":{"k":{"kind":1000000.5}}})",
       "m[k].kind: Invalid value: 1.0000005e+06: must be a string", R"({"m":{"k":{}}})"},
      {R"({"e":{"apiVersion":{"b":1,"a":"<"}}})",
       R"(e.apiVersion: Invalid value: {"a":"\u003c","b":1}: must be a string)", R"({"e":{}})"},
  }));
  CHECK(Coerce(object, false).error == error);
  CHECK(Coerce(object, true).error.empty());
  CHECK(Coerce(object, true).object == dropped);
}

TEST_CASE("Embedded metadata that is no object fails a request and passes a read", "[schema]") {
  constexpr char kObject[] = R"({"e":{"metadata":5}})";
  CHECK(Coerce(kObject, false).error ==
        "e.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type "
        "v1.ObjectMeta");
  CHECK(Coerce(kObject, true).error.empty());
  CHECK(Coerce(kObject, true).object == kObject);
}

TEST_CASE("Embedded metadata that is null becomes empty", "[schema]") {
  CHECK(Coerce(R"({"e":{"metadata":null}})", false).object == R"({"e":{"metadata":{}}})");
}

TEST_CASE("The root is coerced only as a resource root", "[schema]") {
  StructuralText schema(R"({"type": "object"})");
  json::Document document;
  json::Value object = ParseOrThrow(R"({"kind": 5, "metadata": {"x": 1}})", document);
  CHECK_FALSE(CoerceEmbedded(object, *schema, true, document.arena()));
  CHECK(json::Print(object) == R"({"kind":5,"metadata":{"x":1}})");
  CHECK_FALSE(CoerceEmbedded(object, *schema, true, document.arena(), nullptr, true));
  CHECK(json::Print(object) == R"({"metadata":{}})");
}

TEST_CASE("Values of other types than specified are left alone", "[schema]") {
  constexpr char kObject[] = R"({"e":[{"kind":1}],"l":{"kind":1},"m":"x"})";
  CHECK(Coerce(kObject, false).error.empty());
  CHECK(Coerce(kObject, false).object == kObject);
}

}  // namespace
}  // namespace kube::schema
