#include "kube/cel/program.h"

#include <catch2/catch.hpp>

#include "kube/cel/estimate.h"
#include "kube/cel/parser.h"
#include "kube/cel/schema_type.h"
#include "tests/support/cel_text.h"

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
    const std::string printed = test_support::cel_text::Print(*parsed.ast->root);
    CAPTURE(printed);
    const kube::cel::Source printed_source(printed);
    const auto again = kube::cel::Parse(printed_source, kRelease);
    REQUIRE(again.issues.empty());
    CHECK(test_support::cel_text::SameTree(*parsed.ast->root, *again.ast->root));
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
        "'a,b'.split(',').size() == 2"}) {
    CAPTURE(text);
    const Outcome outcome = Run(text);
    CHECK(outcome.cost <= outcome.estimate.max);
    CHECK(outcome.estimate.max < kube::cel::kUnbounded);
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

// A short expression may stand for a tree that nobody could walk: each part is there twice.
TEST_CASE("Values that are shared are not walked without end", "[cel]") {
  std::string shared = "[1]";
  for (int i = 0; i < 60; ++i) shared += ".map(a, [a, a])";
  const std::string untyped = "dyn(" + shared + ")";
  CHECK(Run(shared + ".size()").text == "1");
  CHECK(Run(shared + " == " + shared).text == kube::cel::kCostLimitExceeded);
  CHECK(Run(shared + ".indexOf(" + shared + "[0])").text == kube::cel::kCostLimitExceeded);
  CHECK(Run(untyped + ".sum() == 1").text == kube::cel::kCostLimitExceeded);
  CHECK(Run("'%s'.format([" + shared + "])").text == kube::cel::kCostLimitExceeded);
  CHECK(Run(untyped + ".flatten(100)").text == kube::cel::kCostLimitExceeded);
  const std::string message = Run("[?" + untyped + "]").text;
  CHECK_THAT(message, Catch::StartsWith("cannot initialize optional list element from"));
  CHECK(message.size() < 2000000);
}

TEST_CASE("Values that are nested too deep are not walked", "[cel]") {
  const std::string nested = Repeat("[", 100) + "a" + Repeat("]", 100);
  std::string deep = "[1]";
  for (int i = 0; i < 20; ++i) deep += ".map(a, dyn(" + nested + "))";
  CHECK(Run(deep + " == " + deep).text == kube::cel::kCostLimitExceeded);
  CHECK(Run("'%s'.format([" + deep + "])").text == kube::cel::kCostLimitExceeded);
  CHECK(Run("{'a': " + deep + "}.a.size()").text == "1");
}

TEST_CASE("The memory of an evaluation has an end", "[cel]") {
  std::string doubled = "[[1, 2, 3]]";
  for (int i = 0; i < 40; ++i) doubled += ".map(a, a + a)";
  CHECK(Run(doubled + ".size()").text == kube::cel::kCostLimitExceeded);
  const std::string megabyte =
      "'" + Repeat("a", 1000) + "'.replace('a', '" + Repeat("b", 1000) + "')";
  CHECK(Run(megabyte + ".size()").text == "1000000");
  CHECK(Run("lists.range(100).map(i, " + megabyte + ").size()").text ==
        kube::cel::kCostLimitExceeded);
}

TEST_CASE("Types that are too large are an error", "[cel]") {
  const std::string error = "types of the expression are too large";
  std::string shared = "[1]";
  for (int i = 0; i < 60; ++i) shared += ".map(a, {a: a})";
  CHECK_THAT(Run(shared + ".size()").text, Catch::Contains(error));
  // Each variable stands for a map from and to a list of the next.
  constexpr int kVariables = 40;
  std::string open;
  std::string body = "true";
  for (int i = 0; i < kVariables; ++i) {
    const std::string next = "x" + std::to_string(i + 1);
    open += "[[]].all(x" + std::to_string(i) + ", ";
    if (i + 1 < kVariables) {
      body += " && x" + std::to_string(i) + " == [{" + next + ": " + next + "}]";
    }
  }
  CHECK_THAT(Run(open + body + Repeat(")", kVariables)).text, Catch::Contains(error));
  // The nesting that the grammar takes is no reason to give up.
  CHECK(Run(Repeat("[", 200) + "1" + Repeat("]", 200) + ".size()").text == "1");
}

TEST_CASE("A pattern that looks at all the text for each match is given up", "[cel]") {
  const std::string text = "'" + Repeat("a", 90000) + "'";
  CHECK(Run(text + ".findAll('a.*b|a').size()").text == kube::cel::kCostLimitExceeded);
  CHECK(Run("'" + Repeat("a ", 5000) + "'.findAll('[a-z]+').size()").text == "5000");
  CHECK(Run(R"('a'.find('\\p{Cn}'))").text == "regular expression takes too long to match");
}

TEST_CASE("Costs end where no number is larger", "[cel]") {
  CHECK(Run("[[1], [2], [3]].flatten(9223372036854775807)").text == kube::cel::kCostLimitExceeded);
  CHECK(Run("[[1], [2]].flatten(dyn('x'))").text == "no such overload");
  CHECK(kube::cel::AddCost(kube::cel::kUnbounded, 1) == kube::cel::kUnbounded);
}

TEST_CASE("Maps of many keys are searched by their hashes", "[cel]") {
  // Of 10,000 entries that are compared with each other, no evaluation would see the end.
  CHECK(Run("lists.range(10000).transformMapEntry(i, v, {duration(string(v) + 's'): v}).size()")
            .text == "10000");
  CHECK(Run("lists.range(10000).transformMapEntry(i, v, {timestamp(v): v}).size()").text ==
        "10000");
}

TEST_CASE("Texts are searched from both ends", "[cel]") {
  CHECK(Run("'banana'.lastIndexOf('ana')").text == "3");
  CHECK(Run("'banana'.lastIndexOf('ana', 2)").text == "1");
  CHECK(Run("'banana'.lastIndexOf('ana', 0)").text == "-1");
  CHECK(Run("'\u00e9a\u00e9'.lastIndexOf('\u00e9')").text == "2");
  CHECK(Run("'banana'.indexOf('ana', 2)").text == "3");
  CHECK(Run("'banana'.contains('nan') && !'banana'.contains('nab')").text == "true");
  CHECK(Run("'a,b,'.split(',').size()").text == "3");
}

TEST_CASE("A release has the functions that came with it", "[cel]") {
  struct Came {
    std::string_view function;
    int minor;
  };
  constexpr Came kCame[] = {
      {"isSorted", 27},      {"matches", 27},       {"find", 27},           {"url", 27},
      {"replace", 27},       {"optional.of", 28},   {"quantity", 28},       {"isQuantity", 28},
      {"sets.contains", 29}, {"format", 29},        {"strings.quote", 29},  {"ip", 30},
      {"cidr", 30},          {"isIP", 30},          {"ip.isCanonical", 30}, {"format.named", 31},
      {"format.uuid", 31},   {"fieldSelector", 31}, {"semver", 33},         {"isSemver", 33},
      {"lists.range", 34},   {"distinct", 34},      {"flatten", 34},        {"sort", 34},
      {"slice", 34}};
  for (int minor = 27; minor <= 36; ++minor) {
    const kube::cel::Environment environment({1, minor});
    for (const Came& came : kCame) {
      CAPTURE(minor, came.function);
      CHECK((environment.functions().Find(came.function) != nullptr) == (minor >= came.minor));
    }
  }
  CHECK(Run("1 < 2.0", {1, 28}).text == "true");
  CHECK_THAT(Run("1 < 2.0", {1, 27}).text, Catch::Contains("no matching overload for '_<_'"));
  CHECK(Run("[1].transformMap(i, v, v)", {1, 32}).text == "{0: 1}");
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
    kube::cel::Memory memory(arena);
    const Value self = kube::cel::ReadJson(memory, document.root(), nullptr);
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

TEST_CASE("Members of large objects are found by their names", "[cel]") {
  constexpr int kMembers = 50000;
  std::string text = "{";
  for (int i = 0; i < kMembers; ++i) {
    if (i > 0) text += ",";
    text += "\"member-with-a-long-name-" + std::to_string(i) + "\": 1";
  }
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(text + "}"));
  kube::cel::Environment environment(kRelease);
  environment.AddVariable("self", kube::cel::types::Dyn());
  const auto checked = kube::cel::Compile(environment, "self.all(k, k in self)");
  REQUIRE(checked);
  const auto program = kube::cel::Program::Make(environment, **checked);
  REQUIRE(program);
  kube::json::Arena arena;
  kube::cel::Memory memory(arena);
  const Value self = kube::cel::ReadJson(memory, document.root(), nullptr);
  CHECK(kube::cel::Describe(program->Evaluate({&self, 1}, arena).value) == "true");
}
