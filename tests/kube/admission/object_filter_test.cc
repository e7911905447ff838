#include "kube/admission/object_filter.h"

#include <tuple>

#include "tests/kube/admission/review_text.h"

namespace kube::admission {
namespace object_filter_test {

using admission_test::ParseJson;

constexpr char kProduction[] = R"({"metadata":{"labels":{"environment":"production","a":""}}})";
constexpr char kBare[] = R"({"metadata":{}})";

/// Whether a filter matches an object that is given as JSON.
bool Takes(const ObjectFilter& filter, const std::string& object) {
  return Matches(filter, &ParseJson(object).root());
}

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
  CHECK(Takes({.labels = selector}, object) == matches);
}

// As labels, but for the values, which may be any text.
TEST_CASE("Annotations are there, absent, or one of some texts", "[kube][admission]") {
  const auto [annotations, matches] = GENERATE(table<std::vector<AnnotationRequirement>, bool>({
      {{AnnotationExists("owner")}, true},
      {{AnnotationExists("environment")}, false},
      {{AnnotationDoesNotExist("owner")}, false},
      {{AnnotationDoesNotExist("environment")}, true},
      {{AnnotationIn("owner", {"J. Doe <jd@example.com>", "nobody"})}, true},
      {{AnnotationIn("owner", {"nobody"})}, false},
      {{AnnotationIn("environment", {""})}, false},
      {{AnnotationNotIn("owner", {"nobody"})}, true},
      {{AnnotationExists("owner"), AnnotationDoesNotExist("empty")}, false},
      {{AnnotationIn("empty", {""})}, true},
  }));
  const std::string object = R"({"metadata":{"labels":{"environment":"qa"},)"
                             R"("annotations":{"owner":"J. Doe <jd@example.com>","empty":""}}})";
  CHECK(Takes({.annotations = annotations}, object) == matches);
}

TEST_CASE("A field is there, absent, or of a value", "[kube][admission]") {
  const auto [field, matches] = GENERATE(table<FieldRequirement, bool>({
      {FieldExists({"spec"}), true},
      {FieldExists({"spec", "mode"}), true},
      {FieldExists({"spec", "nothing"}), true},
      {FieldExists({"spec", "other"}), false},
      {FieldExists({"spec", "mode", "deeper"}), false},
      {FieldExists({"spec", "list", "0"}), false},
      {FieldDoesNotExist({"spec", "mode"}), false},
      {FieldDoesNotExist({"spec", "other"}), true},
      {FieldDoesNotExist({"status", "phase"}), true},
      {FieldIs({"spec", "mode"}, "fast"), true},
      {FieldIs({"spec", "mode"}, "slow"), false},
      {FieldIs({"spec", "other"}, ""), false},
      {FieldIs({"spec", "nothing"}, ""), false},
      {FieldIs({"spec", "number"}, 5), true},
      {FieldIs({"spec", "number"}, 6), false},
      {FieldIs({"spec", "number"}, "5.0"), false},
      {FieldIs({"spec", "text"}, 5), false},
      {FieldIs({"spec", "on"}, true), true},
      {FieldIs({"spec", "on"}, false), false},
      {FieldIs({"spec", "on"}, "true"), false},
      {FieldIs({"spec"}, "fast"), false},
  }));
  CAPTURE(field.path.back());
  const std::string object =
      R"({"spec":{"mode":"fast","number":5.0,"text":"5","on":true,"nothing":null,"list":[1]}})";
  CHECK(Takes({.fields = {field}}, object) == matches);
}

TEST_CASE("One object has all that is asked for", "[kube][admission]") {
  const ObjectFilter filter{.labels = {LabelExists("a")},
                            .annotations = {AnnotationExists("b")},
                            .fields = {FieldExists({"c"}), FieldDoesNotExist({"d"})}};
  CHECK(Takes(filter, R"({"metadata":{"labels":{"a":""},"annotations":{"b":""}},"c":1})"));
  CHECK_FALSE(Takes(filter, R"({"metadata":{"labels":{"a":""},"annotations":{"b":""}}})"));
  CHECK_FALSE(Takes(filter, R"({"metadata":{"labels":{"a":""}},"c":1})"));
  CHECK_FALSE(Takes(filter, R"({"metadata":{"annotations":{"b":""}},"c":1})"));
  CHECK_FALSE(
      Takes(filter, R"({"metadata":{"labels":{"a":""},"annotations":{"b":""}},"c":1,"d":1})"));
}

TEST_CASE("Where there is no object only the empty filter matches", "[kube][admission]") {
  CHECK(Matches(ObjectFilter(), nullptr));
  CHECK_FALSE(Matches({.labels = {LabelDoesNotExist("a")}}, nullptr));
  CHECK_FALSE(Matches({.annotations = {AnnotationDoesNotExist("a")}}, nullptr));
  CHECK_FALSE(Matches({.fields = {FieldDoesNotExist({"a"})}}, nullptr));
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

TEST_CASE("A filter that no object could pass is told", "[kube][admission]") {
  const auto problems = [](const ObjectFilter& filter) { return ObjectFilterProblems(filter); };
  CHECK(problems({.annotations = {AnnotationIn("Example.com/A", {"x y"})},
                  .fields = {FieldExists({"spec"})}})
            .empty());
  CHECK(problems({.labels = {LabelIn("a", {"x y"})}}).size() == 1);
  CHECK(problems({.annotations = {AnnotationExists("a b")}}).size() == 1);
  CHECK(problems({.annotations = {AnnotationIn("a", {})}}) ==
        std::vector<std::string>{
            "annotation \"a\": must be specified when `operator` is 'In' or 'NotIn'"});
  CHECK(problems({.fields = {FieldExists({})}}) ==
        std::vector<std::string>{"a field needs a path"});
}

}  // namespace object_filter_test
}  // namespace kube::admission
