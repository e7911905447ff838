#include "migrate/pruned_validity.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "kube/json.h"
#include "kube/schema/structural.h"
#include "tests/support/test_schema.h"

namespace migrate {
namespace {

using kube::schema::PatternChecks;

std::string Why(const std::string& schema, const std::string& object) {
  const support::TestSchema read(schema);
  kube::json::Arena arena;
  const auto structural = kube::schema::MakeStructural(read.props, arena);
  kube::json::Document document;
  REQUIRE(!document.Parse(object));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  return WhyInvalidOncePruned(document.root(), structural, read.props, patterns);
}

// spec wants `required`, of which it specifies "a" alone, with a default.
std::string SpecRequiring(const std::string& required) {
  return R"({"type":"object","properties":{"spec":{"type":"object","required":[)" + required +
         R"(],"properties":{"a":{"type":"string","default":"b"}}}}})";
}

TEST_CASE("What pruning makes invalid is told with the server's errors",
          "[migrate][pruned_validity]") {
  CHECK(Why(SpecRequiring(R"("p")"), R"({"spec":{"p":1}})") == "spec.p: Required value");
  CHECK(Why(SpecRequiring(R"("q","p")"), R"({"spec":{"p":1,"q":2}})") ==
        "[spec.p: Required value, spec.q: Required value]");
  CHECK(Why(SpecRequiring(R"("a")"), R"({"spec":{"p":1}})").empty());
}

TEST_CASE("Defaults and nulls do not count as pruning", "[migrate][pruned_validity]") {
  // The default makes it valid before, the null would make it invalid.
  CHECK(Why(SpecRequiring(R"("a","p")"), R"({"spec":{"p":1}})") == "spec.p: Required value");
  CHECK(Why(SpecRequiring(R"("a","p")"), R"({"spec":{"p":1,"a":null}})") ==
        "spec.p: Required value");
}

TEST_CASE("Of very many errors the first are told", "[migrate][pruned_validity]") {
  const std::string name(1100, 'n');
  std::string required, spec;
  for (int i = 0; i < 9; ++i) {
    const std::string own = "\"" + std::to_string(i) + name + "\"";
    required.append(i == 0 ? "" : ",").append(own);
    spec.append(i == 0 ? "" : ",").append(own).append(":1");
  }
  const std::string why = Why(SpecRequiring(required), R"({"spec":{)" + spec + "}}");
  CHECK_THAT(why, Catch::StartsWith("[spec.0nnn") &&
                      Catch::EndsWith("nnn: Required value, 6 more errors]"));
  CHECK(why.size() < 4096);
}

TEST_CASE("A single error that is too long is counted", "[migrate][pruned_validity]") {
  const std::string name(5000, 'n');
  CHECK(Why(SpecRequiring("\"" + name + "\""), R"({"spec":{")" + name + R"(":1}})") == "1 error");
}

}  // namespace
}  // namespace migrate
