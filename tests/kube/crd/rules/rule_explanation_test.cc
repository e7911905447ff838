#include "kube/crd/rule_explanation.h"

#include <catch2/catch.hpp>

#include "kube/crd/rule_places.h"
#include "tests/support/test_schema.h"

using kube::crd::ExplainedValue;
using kube::crd::RuleExplanation;
using kube::crd::RulePlace;

namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "x-kubernetes-validations": [{"rule": "self.metadata.name != ''"}],
  "properties": {
    "spec": {
      "type": "object",
      "x-kubernetes-validations": [
        {"rule": "has(self.ports)"},
        {"rule": "self.ports == oldSelf.ports", "message": "ports stay"}],
      "properties": {
        "ports": {
          "type": "array", "maxItems": 7,
          "x-kubernetes-validations": [{"rule": "self.size() < 50"}],
          "items": {
            "type": "integer", "nullable": true,
            "x-kubernetes-validations": [{"rule": "100 / self > 1", "message": "too high"}]}},
        "labels": {
          "type": "object",
          "additionalProperties": {
            "type": "string", "maxLength": 5,
            "x-kubernetes-validations": [{"rule": "self != 'x'"}]}},
        "a.b": {"type": "string", "x-kubernetes-validations": [{"rule": "self.nosuch"}]}}}}})json";

/// The names of the rules of kSchema that a path names, or the error.
std::string Chosen(std::string_view path) {
  const support::TestSchema schema(kSchema);
  const auto chosen = kube::crd::ChooseRules(kube::crd::FindRules(schema.props), path);
  if (!chosen) return chosen.error();
  std::string names;
  for (const RulePlace& place : *chosen) names += (names.empty() ? "" : " ") + place.Name();
  return names;
}

RuleExplanation Explain(std::string_view schema_text, std::string_view path,
                        std::string_view object) {
  const support::TestSchema schema(schema_text);
  const auto chosen = kube::crd::ChooseRules(kube::crd::FindRules(schema.props), path);
  REQUIRE(chosen);
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(object));
  return kube::crd::RuleExplainer(schema.props, kube::base::kNewestRelease)
      .Explain(chosen->front(), document.root());
}

RuleExplanation Explain(std::string_view path, std::string_view object) {
  return Explain(kSchema, path, object);
}

}  // namespace

TEST_CASE("A rule is named as the server's errors name it", "[crd][explain]") {
  const std::string spec = "openAPIV3Schema.properties[spec]";
  for (const std::string prefix : {"spec.validation.", "spec.versions[0].schema.", ""}) {
    for (const std::string suffix : {"", ".rule", ".messageExpression"}) {
      CHECK(Chosen(prefix + spec + ".x-kubernetes-validations[1]" + suffix) == ".spec[1]");
    }
    CHECK(Chosen(prefix + spec + ".x-kubernetes-validations") == ".spec[0] .spec[1]");
    CHECK(Chosen(prefix + spec) == ".spec[0] .spec[1]");
    CHECK(Chosen(prefix + spec + ".properties[ports].items") == ".spec.ports[*][0]");
    CHECK(Chosen(prefix + spec + ".properties[a.b].x-kubernetes-validations[0]") ==
          ".spec['a.b'][0]");
  }
}

TEST_CASE("A rule is named by its field and its index there", "[crd][explain]") {
  CHECK(Chosen("spec") == ".spec[0] .spec[1]");
  CHECK(Chosen(".spec") == ".spec[0] .spec[1]");
  CHECK(Chosen(".spec[1]") == ".spec[1]");
  CHECK(Chosen(".") == ".[0]");
  CHECK(Chosen(".[0]") == ".[0]");
  CHECK(Chosen("spec.ports[0]") == ".spec.ports[0]");
  CHECK(Chosen("spec.ports[*]") == ".spec.ports[*][0]");
  CHECK(Chosen("spec.ports[3][0]") == ".spec.ports[*][0]");
  // There is no such rule at the list: an element, as an error names it.
  CHECK(Chosen("spec.ports[3]") == ".spec.ports[*][0]");
  CHECK(Chosen("spec.labels.*") == ".spec.labels.*[0]");
  CHECK(Chosen("spec.labels.app") == ".spec.labels.*[0]");
  CHECK(Chosen("spec['a.b']") == ".spec['a.b'][0]");
}

TEST_CASE("A path that names no rule gets to know which there are", "[crd][explain]") {
  for (const std::string path :
       {"spec[2]", "status", "spec.a.b", "[", "", "openAPIV3Schema.items"}) {
    CAPTURE(path);
    CHECK(Chosen(path) == "no rule stands at \"" + path +
                              "\"; there is .[0], .spec[0], .spec[1], .spec['a.b'][0], "
                              ".spec.labels.*[0], .spec.ports[0], .spec.ports[*][0]");
  }
  const support::TestSchema empty(R"({"type":"object"})");
  const auto chosen = kube::crd::ChooseRules(kube::crd::FindRules(empty.props), "spec");
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error() == "its schema has no rules");
}

TEST_CASE("A path of the server's errors names its version", "[crd][explain]") {
  CHECK(kube::crd::VersionIndexOf("spec.versions[12].schema.openAPIV3Schema") == 12U);
  CHECK_FALSE(kube::crd::VersionIndexOf("spec.validation.openAPIV3Schema"));
  CHECK_FALSE(kube::crd::VersionIndexOf("spec.versions[1]"));  // a field of that name
  CHECK_FALSE(kube::crd::VersionIndexOf("spec.versions[x].schema.openAPIV3Schema"));
}

TEST_CASE("A rule is asked of each value at its place, with its path", "[crd][explain]") {
  const RuleExplanation rule = Explain("spec.ports[*]", R"({"spec":{"ports":[10,0,null,90]}})");
  REQUIRE(rule.values.size() == 3);  // null has no rules
  CHECK(rule.values[0].path == "spec.ports[0]");
  CHECK(rule.values[0].answer == ExplainedValue::Answer::kTrue);
  CHECK(rule.values[0].error.empty());
  CHECK(rule.values[1].answer == ExplainedValue::Answer::kError);
  CHECK(rule.values[1].error ==
        "spec.ports[1]: Invalid value: \"integer\": division by zero evaluating rule: too high");
  CHECK(rule.values[2].path == "spec.ports[3]");
  CHECK(rule.values[2].error == "spec.ports[3]: Invalid value: 90: too high");
  CHECK(rule.true_count == 1);
  CHECK(rule.false_count == 1);
  CHECK(rule.error_count == 1);
  CHECK_FALSE(rule.holds());
  // An element of seven at most.
  CHECK(rule.estimated_object_cost == 7 * rule.estimated_cost);
  CHECK(rule.cost == rule.values[0].cost + rule.values[1].cost + rule.values[2].cost);
  REQUIRE(rule.values[2].trace.steps.size() == 3);
  CHECK(rule.values[2].trace.steps[0].text == "self");
  CHECK(rule.values[2].trace.steps[0].value == "90");
}

TEST_CASE("Keys of a map are told as the server tells them", "[crd][explain]") {
  const RuleExplanation rule =
      Explain("spec.labels.*", R"({"spec":{"labels":{"a.b":"x","c":"y"}}})");
  REQUIRE(rule.values.size() == 2);
  CHECK(rule.values[0].error == "spec.labels[a.b]: Invalid value: \"x\": failed rule: self != 'x'");
}

TEST_CASE("Where there is no value the rule holds", "[crd][explain]") {
  for (const std::string_view object :
       {"{}", R"({"spec":null})", R"({"spec":[]})", R"({"spec":{"ports":{}}})"}) {
    const RuleExplanation rule = Explain("spec.ports[*]", object);
    CHECK(rule.value_count() == 0);
    CHECK(rule.holds());
  }
}

TEST_CASE("What was before is the value itself", "[crd][explain]") {
  const RuleExplanation rule = Explain(".spec[1]", R"({"spec":{"ports":[1]}})");
  CHECK(rule.uses_old_self);
  CHECK(rule.holds());
  const RuleExplanation optional = Explain(
      R"json({"type":"object","x-kubernetes-validations":[
          {"rule":"oldSelf.hasValue()","optionalOldSelf":true}]})json",
      ".", "{}");
  CHECK(optional.true_count == 1);
}

TEST_CASE("A rule that does not compile says so as the server does", "[crd][explain]") {
  const RuleExplanation rule = Explain("spec['a.b']", R"({"spec":{"a.b":"x"}})");
  CHECK_THAT(rule.compile_error,
             Catch::StartsWith("rule compile error: compilation failed: ERROR: <input>:1:5: type "
                               "'string' does not support field selection"));
  CHECK_FALSE(rule.holds());
  CHECK(rule.value_count() == 0);
}

TEST_CASE("Of many values the first of each answer are kept, and all are counted",
          "[crd][explain]") {
  std::string ports;
  for (int i = 0; i < 100; ++i) ports += (i == 0 ? "" : ",") + std::string(i < 60 ? "1" : "90");
  const RuleExplanation rule = Explain("spec.ports[*]", R"({"spec":{"ports":[)" + ports + "]}}");
  CHECK(rule.true_count == 60);
  CHECK(rule.false_count == 40);
  CHECK(rule.values.size() == 2 * kube::crd::RuleExplainer::kValuesKept);
  CHECK(rule.values_left_out == 100 - rule.values.size());
  CHECK(rule.values.back().path == "spec.ports[79]");
}

TEST_CASE("Rules of allOf are named by the whole place", "[crd][explain]") {
  constexpr std::string_view kAllOf = R"({
    "type": "object", "x-kubernetes-validations": [{"rule": "true"}],
    "properties": {"n": {"type": "integer"}},
    "allOf": [{"properties": {"n": {"x-kubernetes-validations": [{"rule": "self > 1"}]}}}]})";
  const RuleExplanation rule = Explain(kAllOf, "n", R"({"n":1})");
  CHECK(rule.name == "openAPIV3Schema.allOf[0].properties[n].x-kubernetes-validations[0]");
  CHECK(rule.false_count == 1);
}
