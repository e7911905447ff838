#include "kube/cel/program.h"

#include <catch2/catch.hpp>

#include "kube/cel/estimate.h"
#include "kube/cel/parser.h"

using kube::cel::Value;

namespace {

constexpr kube::base::Release kRelease{1, 35};

/// What an expression without variables comes to, as a person would write it.
struct Outcome {
  std::string text;
  std::uint64_t cost = 0;
  kube::cel::Range estimate;
};

Outcome Run(std::string_view expression, kube::base::Release release = kRelease) {
  const kube::cel::Environment environment(release);
  const auto checked = kube::cel::Compile(environment, expression);
  if (!checked) return {checked.error(), 0, {}};
  Outcome outcome;
  outcome.estimate = kube::cel::EstimateCost(**checked, nullptr);
  const auto program = kube::cel::Program::Make(environment, **checked);
  if (!program) return {program.error(), 0, outcome.estimate};
  kube::json::Arena arena;
  const kube::cel::Evaluation evaluation = program->Evaluate({}, arena);
  outcome.text = kube::cel::Describe(evaluation.value);
  outcome.cost = evaluation.cost;
  return outcome;
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

constexpr std::string_view kExpressions[] = {
    "1 + 2 * 3 - -4",
    "-(1) < 2 && !(true || false)",
    "(1 - 2) - (3 - 4)",
    "a && (b && (c || d)) && e",
    "x.y[?z].?w.f(1, 'a\\'\\n', b'\\xff', 1u, 1.5e300)",
    "[1, ?optional.none(), {'k': {?'l': x}}]",
    "x in [1, 2] ? -x : x ? 1 : 2",
    "google.protobuf.Int64Value{value: 1}",
    "has(x.y) ? x.`a-b` : x.`in`",
    "--x == !!y",
};

}  // namespace

TEST_CASE("An expression that is printed parses to the same tree", "[cel]") {
  for (const std::string_view text : kExpressions) {
    CAPTURE(text);
    const kube::cel::Source source(text);
    const auto parsed = kube::cel::Parse(source, kRelease);
    REQUIRE(parsed.issues.empty());
    const std::string printed = kube::cel::Print(*parsed.ast->root);
    CAPTURE(printed);
    const kube::cel::Source printed_source(printed);
    const auto again = kube::cel::Parse(printed_source, kRelease);
    REQUIRE(again.issues.empty());
    CHECK(kube::cel::SameTree(*parsed.ast->root, *again.ast->root));
  }
}

TEST_CASE("Macros agree with what they stand for", "[cel]") {
  for (const std::string_view list : {"[]", "[1]", "[1, 2, 3]", "[3, 3]"}) {
    const std::string range(list);
    CAPTURE(range);
    CHECK(Run(range + ".all(x, x < 3)").text == Run("!" + range + ".exists(x, !(x < 3))").text);
    CHECK(Run(range + ".filter(x, x > 1).size()").text ==
          Run(range + ".map(x, x > 1, x).size()").text);
    CHECK(Run(range + ".exists_one(x, x == 3)").text ==
          Run(range + ".filter(x, x == 3).size() == 1").text);
    CHECK(Run(range + ".all(i, x, " + range + "[i] == x)").text == "true");
  }
}

TEST_CASE("An evaluation costs no more than its estimate", "[cel]") {
  for (const std::string_view text :
       {"[1, 2, 3].map(x, x * 2).filter(y, y > 2)", "'abc'.contains('b') && 'abc' < 'abd'",
        "{'a': [1]}.a[0] == 1", "[1, 2].exists(x, [3, x].exists(y, y == x))",
        "['a', 'b'].join(',').split(',').size()"}) {
    CAPTURE(text);
    const Outcome outcome = Run(text);
    CHECK(outcome.cost <= outcome.estimate.max);
    CHECK(outcome.cost > 0);
  }
}

TEST_CASE("Errors are swallowed where the other operand decides", "[cel]") {
  CHECK(Run("1 / 0 == 1 || true").text == "true");
  CHECK(Run("true || 1 / 0 == 1").text == "true");
  CHECK(Run("1 / 0 == 1 && false").text == "false");
  CHECK(Run("1 / 0 == 1 || false").text == "division by zero");
  CHECK(Run("[0, 1].exists(x, 1 / x == 1)").text == "true");
}

TEST_CASE("Functions are there from their release on", "[cel]") {
  CHECK(Run("ip('10.0.0.1').family()", {1, 30}).text == "4");
  CHECK_THAT(Run("ip('10.0.0.1').family()", {1, 29}).text,
             Catch::StartsWith("ERROR: <input>:1:3: undeclared reference to 'ip'"));
  CHECK_THAT(Run("[1].all(i, v, true)", {1, 31}).text,
             Catch::StartsWith("ERROR: <input>:1:8: undeclared reference to 'all'"));
  CHECK_THAT(Run("{}.?a", {1, 27}).text,
             Catch::StartsWith("ERROR: <input>:1:3: unsupported syntax '.?'"));
}

TEST_CASE("Hostile expressions end with an error, by their cost or their size", "[cel]") {
  CHECK_THAT(Run(Repeat("(", 10000) + "1" + Repeat(")", 10000)).text,
             Catch::Contains("expression recursion limit exceeded: 250"));
  CHECK_THAT(Run("1" + Repeat(" + 1", 10000)).text,
             Catch::Contains("max recursion depth exceeded"));
  CHECK_THAT(Run("'" + Repeat("a", 100000) + "'").text,
             Catch::Contains("expression code point size exceeds limit: size: 100002"));
  CHECK_THAT(Run(Repeat("!", 99999)).text, Catch::Contains("Syntax error: "));
  const std::string numbers = "[" + Repeat("1,", 1000) + "1]";
  CHECK(Run(numbers + ".all(a, " + numbers + ".all(b, " + numbers + ".all(c, a == b)))").text ==
        kube::cel::kCostLimitExceeded);
  CHECK(Run(numbers + ".distinct().size() == 1").text == kube::cel::kCostLimitExceeded);
  CHECK(Run("lists.range(9223372036854775807).size() == 1").text == kube::cel::kCostLimitExceeded);
  CHECK(Run("'" + Repeat("a", 40000) + "'.replace('', '" + Repeat("b", 40000) + "') == ''").text ==
        kube::cel::kCostLimitExceeded);
  CHECK_THAT(Run("18446744073709551616u").text, Catch::Contains("invalid uint literal"));
  CHECK_THAT(Run("'\xff\xfe' == 1").text, Catch::Contains("no matching overload"));
  CHECK_THAT(Run("'\\ud800'").text, Catch::Contains("invalid unicode code point"));
}

TEST_CASE("A value of JSON is read in place", "[cel]") {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"a": [1, 2.5, "x", null, {"b": true}]})"));
  kube::cel::Environment environment(kRelease);
  environment.AddVariable("self", kube::cel::types::Dyn());
  const auto evaluate = [&](std::string_view text) {
    const auto checked = kube::cel::Compile(environment, text);
    REQUIRE(checked);
    const auto program = kube::cel::Program::Make(environment, **checked);
    REQUIRE(program);
    kube::json::Arena arena;
    const Value self = kube::cel::ReadJson(document.root(), nullptr);
    return kube::cel::Describe(program->Evaluate({&self, 1}, arena).value);
  };
  CHECK(evaluate("self.a[0] + 1") == "2");
  CHECK(evaluate("self.a[1] < 3") == "true");
  CHECK(evaluate("self.a[2] + 'y'") == "xy");
  CHECK(evaluate("self.a[3] == null && self.a[4].b") == "true");
  CHECK(evaluate("has(self.b) || self.a.size() == 5") == "true");
  CHECK(evaluate("self.b") == "no such key: b");
  CHECK(evaluate("self.a[9]") == "index out of bounds: 9");
}
