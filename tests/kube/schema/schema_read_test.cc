#include <catch2/catch.hpp>

#include "kube/schema/defaulting.h"
#include "kube/schema/structural.h"
#include "tests/support/test_schema.h"

namespace kube::schema {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("A read removes unknown fields and nulls before defaults come", "[schema][schema_read]") {
  const support::TestSchema read(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
    "a":{"type":"string","default":"x"},"b":{"type":"string"},"n":{"type":"string","nullable":true}}}}})");
  json::Document document;
  json::Arena defaults;
  const StructuralSchema schema = MakeStructural(read.props, defaults);
  REQUIRE_FALSE(
      document.Parse(R"({"metadata":{"name":"o"},"spec":{"a":null,"b":null,"n":null,"z":1}})"));
  SchemaReadNotes notes;
  REQUIRE(ReadBySchema(document.root(), &schema, document.arena(), &notes));
  CHECK(json::Print(document.root()) == R"({"metadata":{"name":"o"},"spec":{"a":"x","n":null}})");
  CHECK(notes.added_defaults == Strings{"spec.a"});
  CHECK(notes.dropped_nulls == Strings{"spec.b"});
}

TEST_CASE("Without a schema nothing but metadata is left", "[schema][schema_read]") {
  json::Document document;
  REQUIRE_FALSE(
      document.Parse(R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"o"},"spec":{"a":1}})"));
  REQUIRE(ReadBySchema(document.root(), nullptr, document.arena()));
  CHECK(json::Print(document.root()) ==
        R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"o"}})");
}

}  // namespace
}  // namespace kube::schema
