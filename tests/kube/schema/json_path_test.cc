#include "kube/schema/json_path.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace {

const support::TestSchema& Schema() {
  static const support::TestSchema schema(R"({"properties":{
      "spec":{"properties":{"a.b":{"type":"string"},"it's":{"type":"integer"}}},
      "map":{"additionalProperties":{"type":"boolean"}},
      "any":{"additionalProperties":true}}})");
  return schema;
}

std::string Follow(std::string_view path) {
  const auto target = FollowJsonPath(path, &Schema().props, /*allow_array_notation=*/true);
  if (!target) return "error: " + target.error();
  return target->path + (target->schema ? " " + std::string(target->schema->type) : "");
}

TEST_CASE("Paths lead through properties and maps", "[json_path]") {
  CHECK(Follow(".map.x") == "map[x] boolean");
  CHECK(Follow("['map']['x']") == "map[x] boolean");
  CHECK(Follow(".spec['a.b']") == "spec.a.b string");
  CHECK(Follow(R"(.spec['it\'s'])") == "spec.it's integer");
  CHECK(Follow(".any.x") == "any[x]");
}

TEST_CASE("What is wrong with a path is said in the server's words", "[json_path]") {
  CHECK(Follow("spec") == "error: expected [ or . but got: spec");
  CHECK(Follow(".") == "error: unexpected end of JSON path");
  CHECK(Follow("[") == "error: unexpected end of JSON path");
  CHECK(Follow(".x") == "error: does not refer to a valid field");
  CHECK(Follow(".map.x.y") == "error: does not refer to a valid field");
  CHECK(Follow(".any.x.y") == "error: does not refer to a valid field");
  CHECK(Follow("[spec]") == "error: expected single quoted string but got spec");
  CHECK(Follow("['spec'") == "error: unexpected end of JSON path");
  CHECK(Follow("['spec'.") == "error: expected ] but got .");
  CHECK(Follow(R"(['\q'])") == R"(error: invalid string literal: invalid escape char \q)");
}

TEST_CASE("Brackets may be forbidden", "[json_path]") {
  CHECK(FollowJsonPath("['spec']", &Schema().props, false).error() ==
        "array notation is not allowed");
}

TEST_CASE("Without a schema only the form counts", "[json_path]") {
  CHECK(FollowJsonPath("x", nullptr, true).error() == "expected [ or . but got: x");
}

}  // namespace
}  // namespace kube::schema
