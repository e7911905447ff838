#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "kube/json/json.h"
#include "kube/schema/structural.h"
#include "migrate/check/version_validity.h"
#include "tests/support/test_schema.h"

namespace migrate::check {
namespace pruned_validity_test {

using kube::schema::PatternChecks;

std::optional<std::string> Why(const std::string& schema, const std::string& object) {
  const support::TestSchema read(schema);
  kube::json::Arena arena;
  const auto structural = kube::schema::MakeStructural(read.props, arena);
  kube::json::Document document;
  REQUIRE(!document.Parse(object));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  const kube::schema::StructuralSchema* const schemas[] = {&structural};
  return WhyInvalidOncePruned(document.root(), schemas, read.props, patterns);
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
  CHECK(Why(SpecRequiring(R"("a")"), R"({"spec":{"p":1}})") == "");
}

TEST_CASE("Defaults count before and behind, and dropped nulls as pruned fields",
          "[migrate][pruned_validity]") {
  CHECK(Why(SpecRequiring(R"("a","p")"), R"({"spec":{"p":1}})") == "spec.p: Required value");
  CHECK(Why(SpecRequiring(R"("a","p")"), R"({"spec":{"p":1,"a":null}})") ==
        "spec.p: Required value");
  // As 1.20 answers: what has no type may be null until the server prunes.
  const std::string any = R"({"x-kubernetes-preserve-unknown-fields":true})";
  CHECK(Why(R"({"type":"object","required":["a"],"properties":{"a":)" + any + "}}",
            R"({"a":null})") == "a: Required value");
}

TEST_CASE("It is pruned by all of the schemas in turn", "[migrate][pruned_validity]") {
  const support::TestSchema stored(R"({"type":"object","properties":{"a":{"type":"string"}}})");
  const support::TestSchema read(
      R"({"type":"object","required":["b"],"properties":{"b":{"type":"string"}}})");
  kube::json::Arena arena;
  const auto first = kube::schema::MakeStructural(stored.props, arena);
  const auto last = kube::schema::MakeStructural(read.props, arena);
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({"a":"1","b":"2"})"));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  const kube::schema::StructuralSchema* const both[] = {&first, &last};
  CHECK(WhyInvalidOncePruned(document.root(), both, read.props, patterns) == "b: Required value");
  const kube::schema::StructuralSchema* const alone[] = {&last};
  CHECK(WhyInvalidOncePruned(document.root(), alone, read.props, patterns) == "");
  const kube::schema::StructuralSchema* const none[] = {nullptr, &last};
  CHECK(WhyInvalidOncePruned(document.root(), none, read.props, patterns) == "b: Required value");
}

TEST_CASE("Defaults of all schemas count before too", "[migrate][pruned_validity]") {
  // The second default is refused whether junk is pruned or not.
  const auto [value, object, expected] = GENERATE(table<std::string, std::string, std::string>({
      {R"("x")", R"({"zone":"z"})", "zone: Required value"},
      {R"("y")", R"({"zone":"z"})", ""},
  }));
  const support::TestSchema stored(
      R"({"type":"object","properties":{"e":{"type":"string","default":)" + value + "}}}");
  const support::TestSchema read(
      R"({"type":"object","required":["e","zone"],"properties":{"zone":{"type":"string"},
          "e":{"type":"string","enum":["x"]}}})");
  kube::json::Arena arena;
  const auto first = kube::schema::MakeStructural(stored.props, arena);
  const auto last = kube::schema::MakeStructural(read.props, arena);
  const kube::schema::StructuralSchema* const both[] = {&first, &last};
  kube::json::Document document;
  REQUIRE(!document.Parse(object));
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  CHECK(WhyInvalidOncePruned(document.root(), both, read.props, patterns) == expected);
}

TEST_CASE("Of many errors the first are told, and no more of one than a person reads",
          "[migrate][pruned_validity]") {
  const std::string name(5000, 'n');
  std::string required, spec;
  for (int i = 0; i < 10; ++i) {
    const std::string own = "\"" + std::to_string(i) + (i == 0 ? name : "") + "\"";
    required.append(i == 0 ? "" : ",").append(own);
    spec.append(i == 0 ? "" : ",").append(own).append(":1");
  }
  const std::string why = Why(SpecRequiring(required), R"({"spec":{)" + spec + "}}").value_or("");
  CHECK(why == "[spec.0" + name.substr(0, 506) +
                   "..., spec.1: Required value, spec.2: Required value, spec.3: Required value, "
                   "spec.4: Required value, spec.5: Required value, spec.6: Required value, "
                   "spec.7: Required value, 2 more]");
}

}  // namespace pruned_validity_test
}  // namespace migrate::check
