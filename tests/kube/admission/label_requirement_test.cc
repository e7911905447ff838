#include "kube/admission/label_requirement.h"

#include <tuple>

#include "tests/kube/admission/review_text.h"

namespace kube::admission {
namespace label_requirement_test {

using admission_test::ParseJson;

constexpr char kProduction[] = R"({"metadata":{"labels":{"environment":"production","a":""}}})";
constexpr char kBare[] = R"({"metadata":{}})";

// The API's documentation, "Labels and Selectors", set-based requirements.
TEST_CASE("Labels match as everywhere in Kubernetes", "[kube][admission]") {
  const auto [selector, object, matches] = GENERATE(table<LabelSelector, std::string, bool>({
      {{}, kBare, true},
      {{LabelIn("environment", {"production", "qa"})}, kProduction, true},
      {{LabelIn("environment", {"qa"})}, kProduction, false},
      {{LabelIn("environment", {"production"})}, kBare, false},
      {{LabelNotIn("environment", {"qa"})}, kProduction, true},
      {{LabelNotIn("environment", {"production"})}, kProduction, false},
      {{LabelNotIn("environment", {"production"})}, kBare, true},
      {{LabelExists("a")}, kProduction, true},
      {{LabelExists("a")}, kBare, false},
      {{LabelDoesNotExist("a")}, kProduction, false},
      {{LabelDoesNotExist("a")}, kBare, true},
      {{LabelExists("a"), LabelIn("environment", {"qa"})}, kProduction, false},
      {{LabelDoesNotExist("a")}, "{}", true},
  }));
  CAPTURE(object);
  CHECK(Matches(selector, &ParseJson(object).root()) == matches);
}

TEST_CASE("Where there is no object only the empty selector matches", "[kube][admission]") {
  CHECK(Matches({}, nullptr));
  CHECK_FALSE(Matches({LabelDoesNotExist("a")}, nullptr));
}

TEST_CASE("A selector is written as matchExpressions", "[kube][admission]") {
  json::Arena arena;
  const LabelSelector selector = {LabelIn("a", {"x", "y"}), LabelNotIn("b", {"z"}),
                                  LabelExists("c"), LabelDoesNotExist("d")};
  CHECK(json::Print(LabelSelectorJson(selector, arena)) ==
        R"({"matchExpressions":[{"key":"a","operator":"In","values":["x","y"]},)"
        R"({"key":"b","operator":"NotIn","values":["z"]},{"key":"c","operator":"Exists"},)"
        R"({"key":"d","operator":"DoesNotExist"}]})");
}

TEST_CASE("What the API server does not take as a selector is told", "[kube][admission]") {
  CHECK(LabelSelectorProblems({LabelIn("example.com/a", {"x"}), LabelExists("b")}).empty());
  CHECK(LabelSelectorProblems({LabelIn("a", {})}) ==
        std::vector<std::string>{
            "label \"a\": must be specified when `operator` is 'In' or 'NotIn'"});
  CHECK(LabelSelectorProblems({LabelExists("a b")}).size() == 1);
  CHECK(LabelSelectorProblems({LabelIn("a", {"x y"})}).size() == 1);
}

}  // namespace label_requirement_test
}  // namespace kube::admission
