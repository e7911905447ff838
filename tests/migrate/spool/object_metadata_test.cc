#include "migrate/cluster/object_metadata.h"

#include <catch2/catch.hpp>
#include <string>

namespace migrate::cluster {
namespace {

std::optional<ListedObject> Read(const std::string& metadata) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"kind":"X","metadata":)" + metadata + "}"));
  return ReadObjectMetadata(document.root());
}

TEST_CASE("Metadata is read as a server prints it", "[migrate][object_metadata]") {
  const auto object = Read(
      R"({"name":"a","namespace":"shop","uid":"u","resourceVersion":"42","generation":3,"labels":{}})");
  REQUIRE(object);
  CHECK(object->namespace_ == "shop");
  CHECK(object->name == "a");
  CHECK(object->uid == "u");
  CHECK(object->resource_version == "42");
  CHECK(object->generation == 3);
}

TEST_CASE("Namespace and generation may be missing", "[migrate][object_metadata]") {
  const auto object = Read(R"({"name":"a","uid":"u","resourceVersion":"42","generation":"3"})");
  REQUIRE(object);
  CHECK(object->namespace_.empty());
  CHECK(object->generation == 0);
}

TEST_CASE("What no server sends is no metadata", "[migrate][object_metadata]") {
  const std::string metadata =
      GENERATE(as<std::string>(), R"({"uid":"u","resourceVersion":"42"})",
               R"({"name":"a","resourceVersion":"42"})", R"({"name":"a","uid":"u"})",
               R"({"name":1,"uid":"u","resourceVersion":"42"})",
               R"({"name":"a","uid":"u","resourceVersion":42})", "null", "[]",
               R"({"name":")" + std::string(5000, 'a') + R"(","uid":"u","resourceVersion":"42"})");
  CHECK_FALSE(Read(metadata));
}

}  // namespace
}  // namespace migrate::cluster
