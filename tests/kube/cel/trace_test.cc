#include "kube/cel/trace.h"

#include <catch2/catch.hpp>

#include "kube/cel/program.h"

using kube::cel::Trace;
using kube::cel::TracedElement;
using kube::cel::TracedStep;
using kube::cel::Value;

namespace {

/// The steps of an expression without variables, which has to compile.
Trace TraceOf(std::string_view expression, std::uint64_t limit = kube::cel::kCallCostLimit) {
  const kube::cel::Environment environment(kube::base::Release{1, 35});
  const auto checked = kube::cel::Compile(environment, expression);
  REQUIRE(checked);
  const auto program = kube::cel::Program::Make(environment, **checked);
  REQUIRE(program);
  kube::cel::Tracer tracer(expression);
  kube::json::Arena arena;
  (void)program->Evaluate({}, arena, limit, &tracer);
  return tracer.Take();
}

std::vector<std::string> Lines(const std::vector<TracedStep>& steps) {
  std::vector<std::string> lines;
  for (const TracedStep& step : steps) {
    lines.push_back(step.text + " -> " + (step.is_error ? "error: " : "") + step.value);
  }
  return lines;
}

std::vector<std::string> LinesOf(std::string_view expression) {
  return Lines(TraceOf(expression).steps);
}

/// The elements of the last step that has some: "0", or "4!" for the one that decides.
std::vector<std::string> ElementsOf(const Trace& trace) {
  std::vector<std::string> numbers;
  for (const TracedStep& step : trace.steps) {
    for (const TracedElement& element : step.elements) {
      numbers.push_back(std::to_string(element.number) + (element.decides ? "!" : ""));
    }
  }
  return numbers;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("Each part of an expression is traced in the order of evaluation, with its text",
          "[cel][trace]") {
  CHECK(LinesOf("(1 + 2) * 3 == 9") ==
        Strings{"1 + 2 -> 3", "(1 + 2) * 3 -> 9", "(1 + 2) * 3 == 9 -> true"});
  CHECK(LinesOf("size('ab' + 'c') > 2") ==
        Strings{"'ab' + 'c' -> \"abc\"", "size('ab' + 'c') -> 3", "size('ab' + 'c') > 2 -> true"});
  CHECK(LinesOf("{'a': [1 + 1]}.a[0]") == Strings{"1 + 1 -> 2", "[1 + 1] -> [2]",
                                                  "{'a': [1 + 1]} -> {\"a\": [2]}",
                                                  "{'a': [1 + 1]}.a[0] -> 2"});
  CHECK(LinesOf("-(1 + 1) < 0") == Strings{"1 + 1 -> 2", "-(1 + 1) -> -2", "-(1 + 1) < 0 -> true"});
}

TEST_CASE("What is not evaluated is not traced", "[cel][trace]") {
  CHECK(LinesOf("1 > 2 && 1 / 0 == 1 && true") ==
        Strings{"1 > 2 -> false", "1 > 2 && 1 / 0 == 1 && true -> false"});
  CHECK(LinesOf("1 < 2 ? 3 + 4 : 5 + 6") ==
        Strings{"1 < 2 -> true", "3 + 4 -> 7", "1 < 2 ? 3 + 4 : 5 + 6 -> 7"});
  // A field of what a condition chooses: no branch stands for the whole.
  CHECK(LinesOf("(1 < 2 ? {'a': 1 + 1} : {'a': 3 + 4}).a") ==
        Strings{"1 < 2 -> true", "1 + 1 -> 2", "{'a': 1 + 1} -> {\"a\": 2}",
                "(1 < 2 ? {'a': 1 + 1} : {'a': 3 + 4}).a -> 2"});
}

TEST_CASE("Errors are steps, also where another operand decides", "[cel][trace]") {
  CHECK(LinesOf("1 / 0 == 1 || 2 > 1") == Strings{"1 / 0 -> error: division by zero",
                                                  "1 / 0 == 1 -> error: division by zero",
                                                  "2 > 1 -> true", "1 / 0 == 1 || 2 > 1 -> true"});
}

TEST_CASE("The same step at one place is traced once", "[cel][trace]") {
  CHECK(LinesOf("1 + 1 == 1 + 1") == Strings{"1 + 1 -> 2", "1 + 1 == 1 + 1 -> true"});
}

TEST_CASE("Texts are found by their characters, and stand on one line", "[cel][trace]") {
  CHECK(LinesOf("'ä€𝄞' + 'x' ==\n\t'ä€𝄞x'") ==
        Strings{"'ä€𝄞' + 'x' -> \"ä€𝄞x\"", "'ä€𝄞' + 'x' == 'ä€𝄞x' -> true"});
}

TEST_CASE("A macro shows its elements with their variables and steps", "[cel][trace]") {
  const Trace trace = TraceOf("[1, 2].all(x, x < 2)");
  REQUIRE(Lines(trace.steps) == Strings{"[1, 2].all(x, x < 2) -> false"});
  const auto& elements = trace.steps[0].elements;
  REQUIRE(elements.size() == 2);
  CHECK(elements[1].variables[0].name == "x");
  CHECK(elements[1].variables[0].value == "2");
  CHECK(Lines(elements[0].steps) == Strings{"x < 2 -> true"});
  CHECK(Lines(elements[1].steps) == Strings{"x < 2 -> false"});
  CHECK(ElementsOf(trace) == Strings{"0", "1!"});
}

TEST_CASE("Both variables of a macro are shown, and inner macros within outer ones",
          "[cel][trace]") {
  const Trace trace = TraceOf("{'k': [5]}.exists(k, v, v.exists(e, e > 4))");
  REQUIRE(trace.steps.size() == 1);
  const auto& elements = trace.steps[0].elements;
  REQUIRE(elements.size() == 1);
  REQUIRE(elements[0].variables.size() == 2);
  CHECK(elements[0].variables[0].value == "\"k\"");
  CHECK(elements[0].variables[1].value == "[5]");
  REQUIRE(Lines(elements[0].steps) == Strings{"v.exists(e, e > 4) -> true"});
  REQUIRE(elements[0].steps[0].elements.size() == 1);
  CHECK(Lines(elements[0].steps[0].elements[0].steps) == Strings{"e > 4 -> true"});
}

TEST_CASE("Of many elements the first three are kept, and the one that decides", "[cel][trace]") {
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 4, 5, 6].all(x, x != 5)")) == Strings{"0", "1", "2", "4!"});
  CHECK(TraceOf("[1, 2, 3, 4, 5, 6].all(x, x != 5)").steps[0].elements_left_out == 1);
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 4, 5].exists(x, x == 2)")) == Strings{"0", "1!"});
  // Of an error that another element made good, and of one that stays the first.
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 0, 9].exists(x, 9 / x == 1)")) ==
        Strings{"0", "1", "2", "4!"});
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 0, 4, 0].all(x, 9 / x > 0)")) ==
        Strings{"0", "1", "2", "3!"});
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 4, 5].all(x, x > 0)")) == Strings{"0", "1", "2"});
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 4, 4, 5].exists_one(x, x == 4)")) ==
        Strings{"0", "1", "2", "4!"});
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 4, 5].map(x, x + 1)")) == Strings{"0", "1", "2"});
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 0, 5].map(x, 1 / x)")) == Strings{"0", "1", "2", "3!"});
  CHECK(ElementsOf(TraceOf("[1, 2, 3, 4, 5].filter(x, x > 3)")) == Strings{"0", "1", "2"});
}

TEST_CASE("What macros add to an expression is not traced", "[cel][trace]") {
  CHECK(LinesOf("has({'a': 1}.a)") == Strings{"has({'a': 1}.a) -> true"});
  const Strings mapped = LinesOf("optional.of(2).optMap(v, v + 1).orValue(0)");
  CHECK(mapped == Strings{"optional.of(2) -> optional.of(2)", "v + 1 -> 3",
                          "optional.of(2).optMap(v, v + 1) -> optional.of(3)",
                          "optional.of(2).optMap(v, v + 1).orValue(0) -> 3"});
}

TEST_CASE("An evaluation that is given up shows how far it came", "[cel][trace]") {
  const Trace trace = TraceOf("[1, 2, 3, 4, 5, 6, 7, 8, 9].all(x, x + 1 > 0)", 10);
  REQUIRE(trace.steps.size() == 1);
  CHECK(trace.steps[0].text == "[1, 2, 3, 4, 5, 6, 7, 8, 9].all(x, x + 1 > 0)");
  CHECK(trace.steps[0].value.empty());
  CHECK(trace.steps[0].elements.size() >= 2);
}

TEST_CASE("A trace has an end", "[cel][trace]") {
  std::string text = "true";
  for (int i = 0; i < 1000; ++i) text += " && " + std::to_string(i) + " >= 0";
  const Trace trace = TraceOf(text);
  CHECK(trace.steps.size() == kube::cel::Tracer::kStepsKept);
  CHECK(trace.steps_left_out == 1001 - kube::cel::Tracer::kStepsKept);
  const Trace longer = TraceOf("'" + std::string(1000, 'x') + "' + 'y'");
  CHECK(longer.steps[0].text.size() <= kube::cel::Tracer::kLongestText + 3);
  CHECK(longer.steps[0].value.size() <= kube::cel::Tracer::kLongestText + 3);
}

TEST_CASE("Values are shown as expressions write them", "[cel][trace]") {
  using kube::cel::PreviewValue;
  CHECK(PreviewValue(Value::Null(), 100) == "null");
  CHECK(PreviewValue(Value::String("a\"\x1b\n"), 100) == R"("a\"\x1b\n")");
  CHECK(PreviewValue(Value::Bytes("a\xff"), 100) == R"(b"a\xff")");
  CHECK(PreviewValue(Value::Optional(nullptr), 100) == "optional.none()");
  CHECK(PreviewValue(Value::Error("a\n  b"), 100) == "a b");
  CHECK(PreviewValue(Value::String(std::string(50, 'x')), 10) == "\"xxxxxxxxx...");
}
