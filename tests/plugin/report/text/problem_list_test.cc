#include "plugin/report/check_sections.h"

#include <catch2/catch.hpp>

namespace plugin::report {
namespace {

using migrate::report::Problem;

constexpr const char* kEmptyType = "Required value: must not be empty for specified object fields";

Problem Typeless(int number) {
  const std::string field = "properties[f" + std::to_string(number) + "].type";
  return {"v1", field, field + ": " + kEmptyType, "give it a type"};
}

std::string Print(const std::vector<Problem>& problems, bool all = false) {
  std::string out;
  AppendProblems(out, problems, all);
  return out;
}

TEST_CASE("Each problem has its version before it and its hint below", "[plugin][problem_list]") {
  CHECK(Print({{"v1", "a", "a: Forbidden: must be undefined to be structural", "move it"},
               {"v1beta1", "", "OpenAPIV3Schema '$ref' is not supported", "write it out"},
               {"v1beta1", "b", "b: Required value: must not be empty at the root", ""}}) ==
        "  v1       a: Forbidden: must be undefined to be structural\n"
        "           hint: move it\n"
        "  v1beta1  OpenAPIV3Schema '$ref' is not supported\n"
        "           hint: write it out\n"
        "  v1beta1  b: Required value: must not be empty at the root\n");
}

TEST_CASE("A problem of the whole CRD has no version", "[plugin][problem_list]") {
  CHECK(
      Print({{"", "spec.group", "spec.group: Invalid value: \"a\": must have a dot", "add one"}}) ==
      "  spec.group: Invalid value: \"a\": must have a dot\n"
      "    hint: add one\n");
}

TEST_CASE("A hint for several in a row is printed once", "[plugin][problem_list]") {
  CHECK(Print({Typeless(1), Typeless(2)}) ==
        "  v1  properties[f1].type: Required value: must not be empty for specified object fields\n"
        "  v1  properties[f2].type: Required value: must not be empty for specified object fields\n"
        "      hint: give it a type\n");
}

TEST_CASE("Of one sort ten are shown and the rest is counted", "[plugin][problem_list]") {
  std::vector<Problem> problems;
  for (int i = 0; i < 122; ++i) problems.push_back(Typeless(i));
  problems.push_back({"v1", "z", "z: Forbidden: must be undefined to be structural", "move it"});
  const std::string out = Print(problems);
  CHECK(out.find("[f9]") != std::string::npos);
  CHECK(out.find("[f10]") == std::string::npos);
  CHECK(out.find("  v1  z: Forbidden: must be undefined to be structural\n") != std::string::npos);
  CHECK(
      out.ends_with("  ... and 112 more: must not be empty for specified object fields\n"
                    "  (-o wide or -o json shows all)\n"));
}

TEST_CASE("Nothing is left out where that would save no line", "[plugin][problem_list]") {
  std::vector<Problem> problems;
  for (int i = 0; i < 12; ++i) problems.push_back(Typeless(i));
  CHECK(Print(problems).find("... and") == std::string::npos);
}

TEST_CASE("All problems are shown where that is wanted", "[plugin][problem_list]") {
  std::vector<Problem> problems;
  for (int i = 0; i < 122; ++i) problems.push_back(Typeless(i));
  const std::string out = Print(problems, /*all=*/true);
  CHECK(out.find("[f121]") != std::string::npos);
  CHECK(out.find("... and") == std::string::npos);
}

TEST_CASE("Problems that all differ are limited too", "[plugin][problem_list]") {
  std::vector<Problem> problems;
  for (int i = 0; i < 500; ++i) {
    problems.push_back({"v1", "a", "a: Forbidden: reason " + std::to_string(i), ""});
  }
  const std::string out = Print(problems);
  CHECK(out.find("reason 39\n") != std::string::npos);
  CHECK(out.find("reason 40\n") == std::string::npos);
  CHECK(out.ends_with("  ... and 460 more\n  (-o wide or -o json shows all)\n"));
}

TEST_CASE("What a CRD holds cannot steer the terminal", "[plugin][problem_list]") {
  CHECK(Print({{"v1\r", "a", "a: \x1B[2J", "b\nc"}}) == "  v1\\r  a: ^[[2J\n        hint: b\\nc\n");
}

}  // namespace
}  // namespace plugin::report
