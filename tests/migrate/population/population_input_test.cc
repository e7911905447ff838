#include "migrate/populate/population_input.h"

#include <catch2/catch.hpp>

#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace population_input_test {

std::optional<ClusterNamespace> Read(const std::string& metadata) {
  const auto document = populate_test::ParseJson(
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop")" + metadata + "}}");
  return ReadClusterNamespace(document.root());
}

std::chrono::sys_seconds CreatedAt(const std::string& time) {
  return Read(R"(,"creationTimestamp":)" + time).value().created;
}

TEST_CASE("A Namespace of the cluster is as old as the server says", "[migrate][population]") {
  const auto read = Read(R"(,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"b"})");
  REQUIRE(read);
  CHECK(read->created == std::chrono::sys_seconds(std::chrono::seconds(1767225600)));
  CHECK(read->target.name == "shop");
  CHECK(read->target.labels.at("a") == "b");
}

TEST_CASE("A Namespace of which no time is known is old", "[migrate][population]") {
  CHECK(Read("").value().created == std::chrono::sys_seconds());
  CHECK(CreatedAt("null") == std::chrono::sys_seconds());
}

TEST_CASE("A Namespace with a time that is none is not read", "[migrate][population]") {
  const std::string time = GENERATE(as<std::string>(), "5", "\"yesterday\"");
  CAPTURE(time);
  CHECK_FALSE(Read(R"(,"creationTimestamp":)" + time));
}

TEST_CASE("A Namespace of a time beyond all clocks is read", "[migrate][population]") {
  CHECK(CreatedAt("\"9999-12-31T23:59:59Z\"") > CreatedAt("\"2026-01-01T00:00:00Z\""));
  CHECK(CreatedAt("\"0001-01-01T00:00:00Z\"") < std::chrono::sys_seconds());
}

}  // namespace population_input_test
}  // namespace migrate::populate
