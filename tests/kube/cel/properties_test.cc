// What holds of every expression, tried on those of the vectors.
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <string>

#include "kube/cel/estimate.h"
#include "kube/cel/parser.h"
#include "kube/cel/program.h"
#include "tests/support/cel_text.h"

namespace cel_properties_test {
namespace {

namespace cel = kube::cel;

constexpr kube::base::Release kRelease{1, 35};

const cel::Environment& NewestEnvironment() {
  static const cel::Environment environment(kRelease);
  return environment;
}

/// Calls `take` with each expression of the vectors, and what the server's library says of it.
void ForEachExpression(
    const std::function<void(std::string_view, const kube::json::Value&)>& take) {
  for (const std::string name : {"cel_conformance", "cel_library", "cel_generated"}) {
    std::ifstream file("tests/vectors/" + name + ".jsonl");
    REQUIRE(file);
    for (std::string line; std::getline(file, line);) {
      kube::json::Document vector;
      REQUIRE_FALSE(vector.Parse(line));
      take(vector.root().Find("input")->FindText("expr"), *vector.root().Find("expected"));
    }
  }
}

/// What `take` makes of an evaluation, while there is a program; of none, of an error.
template <typename Take>
auto WithEvaluation(const cel::CheckedExpression& checked, Take take) {
  const auto program = cel::Program::Make(NewestEnvironment(), checked);
  kube::json::Arena arena;
  return take(program ? program->Evaluate({}, arena)
                      : cel::Evaluation{cel::Value::Error("no program"), 0});
}

/// The value; "error" for any of those.
std::string ValueOf(const std::string& expression) {
  const auto checked = cel::Compile(NewestEnvironment(), expression);
  REQUIRE(checked);
  return WithEvaluation(**checked, [](const cel::Evaluation& evaluation) {
    return evaluation.value.is_error() ? "error" : cel::Describe(evaluation.value);
  });
}

/// "1 < @" of "x": (1 < x).
std::string With(std::string_view predicate, std::string_view operand) {
  std::string text;
  for (const char c : predicate) text += c == '@' ? std::string(operand) : std::string(1, c);
  return "(" + text + ")";
}

}  // namespace

TEST_CASE("Every expression that is printed parses to the same tree", "[cel]") {
  int count = 0;
  ForEachExpression([&](std::string_view text, const kube::json::Value&) {
    const cel::Source source(text);
    const auto parsed = cel::Parse(source, kRelease);
    if (!parsed.issues.empty()) return;
    const std::string printed = test_support::cel_text::Print(*parsed.ast->root);
    if (printed.find("__fold__") != printed.npos) return;  // what a macro stands for has no syntax
    CAPTURE(text, printed);
    const cel::Source printed_source(printed);
    const auto again = cel::Parse(printed_source, kRelease);
    REQUIRE(again.issues.empty());
    CHECK(test_support::cel_text::SameTree(*parsed.ast->root, *again.ast->root));
    ++count;
  });
  CHECK(count > 4000);
}

namespace {

/// Whether the server's own estimate is too low: that of formats looks at the text, and not at
/// their pattern.
bool IsUnderestimated(const kube::json::Value& expected) {
  const kube::json::Value* cost = expected.Find("cost");
  const kube::json::Value* estimate = expected.Find("estimate");
  if (cost == nullptr || estimate == nullptr) return false;
  const std::string most(estimate->FindText("max"));
  return std::stoull(std::string(cost->text())) > std::stoull(most);
}

}  // namespace

TEST_CASE("No evaluation costs more than its estimate", "[cel]") {
  int count = 0;
  ForEachExpression([&](std::string_view text, const kube::json::Value& expected) {
    const auto checked = cel::Compile(NewestEnvironment(), text);
    if (!checked) return;
    const bool was_run = expected.Find("cost") != nullptr;
    if (!was_run || IsUnderestimated(expected)) return;
    CAPTURE(text);
    const std::uint64_t cost = WithEvaluation(
        **checked, [](const cel::Evaluation& evaluation) { return evaluation.cost; });
    CHECK(cost <= cel::EstimateCost(**checked, nullptr).max);
    ++count;
  });
  CHECK(count > 3000);
}

TEST_CASE("Macros say of a list what its elements say together", "[cel]") {
  constexpr std::string_view kElements[] = {"0", "1", "2", "-1", "9223372036854775807"};
  constexpr std::string_view kPredicates[] = {
      "@ > 0",         "1 / @ > 0",           "@ + 1 > @", "[1, 2].exists(y, y == @)",
      "[5, 6][@] > 5", "@ % 2 == 0 || false", "true",      "string(@).size() == 1"};
  for (const std::string_view a : kElements) {
    for (const std::string_view b : kElements) {
      const std::string list = "[" + std::string(a) + ", " + std::string(b) + "]";
      for (const std::string_view predicate : kPredicates) {
        CAPTURE(list, predicate);
        const std::string of_each = "(x, " + With(predicate, "x") + ")";
        const std::string first = With(predicate, a), second = With(predicate, b);
        // Which error it is may differ.
        CHECK(ValueOf(list + ".all" + of_each) == ValueOf(first + " && " + second));
        CHECK(ValueOf(list + ".exists" + of_each) == ValueOf(first + " || " + second));
        CHECK(ValueOf(list + ".map" + of_each) == ValueOf("[" + first + ", " + second + "]"));
        CHECK(ValueOf(list + ".exists_one" + of_each) == ValueOf(first + " != " + second));
        CHECK(ValueOf(list + ".filter" + of_each) ==
              ValueOf("(" + first + " ? [" + std::string(a) + "] : []) + (" + second + " ? [" +
                      std::string(b) + "] : [])"));
      }
    }
  }
}

}  // namespace cel_properties_test
