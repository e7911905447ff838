#include "plugin/report/rule_explanation_json.h"

#include "kube/cel/cost.h"
#include "kube/schema/rule_validation.h"
#include "plugin/report/object_builder.h"
#include "plugin/report/rule_explanation_text.h"

namespace plugin::report {
namespace {

using kube::cel::TracedElement;
using kube::cel::TracedStep;
using kube::crd::ExplainedValue;
using kube::crd::RuleExplanation;
using kube::json::Arena;
using kube::json::Value;
using migrate::check::ObjectExplanation;

Value StepJson(const TracedStep& step, Arena& arena);

Value ElementJson(const TracedElement& element, Arena& arena) {
  const auto variable_json = [&arena](const TracedElement::Variable& variable) {
    return ObjectBuilder(arena).Text("name", variable.name).Text("value", variable.value).Build();
  };
  return ObjectBuilder(arena)
      .Number("index", element.number)
      .List("variables", element.variables, variable_json)
      .BoolIfTrue("decides", element.decides)
      .ListIfAny("steps", element.steps,
                 [&arena](const TracedStep& step) { return StepJson(step, arena); })
      .Build();
}

Value StepJson(const TracedStep& step, Arena& arena) {
  return ObjectBuilder(arena)
      .Text("expression", step.text)
      .TextIfAny(step.is_error ? "error" : "value", step.value)
      .ListIfAny("elements", step.elements,
                 [&arena](const TracedElement& element) { return ElementJson(element, arena); })
      .NumberIfAny("elementsLeftOut", step.elements_left_out)
      .Build();
}

Value ValueJson(const ExplainedValue& value, Arena& arena) {
  return ObjectBuilder(arena)
      .TextIfAny("path", value.path)
      .Text("result", AnswerName(value.answer))
      .TextIfAny("error", value.error)
      .Number("cost", value.cost)
      .List("steps", value.trace.steps,
            [&arena](const TracedStep& step) { return StepJson(step, arena); })
      .NumberIfAny("stepsLeftOut", value.trace.steps_left_out)
      .Build();
}

Value RuleJson(const RuleExplanation& rule, Arena& arena) {
  ObjectBuilder builder(arena);
  builder.Text("schemaPath", rule.schema_path)
      .TextIfAny("fieldPath", rule.field_path)
      .Number("index", rule.index)
      .Text("rule", rule.rule)
      .TextIfAny("message", rule.message)
      .TextIfAny("messageExpression", rule.message_expression)
      .TextIfAny("compileError", rule.compile_error);
  if (!rule.compile_error.empty()) return builder.Build();
  builder.BoolIfTrue("usesOldSelf", rule.uses_old_self)
      .Number("estimatedCost", rule.estimated_cost)
      .Number("estimatedObjectCost", rule.estimated_object_cost)
      .Number("cost", rule.cost)
      .Number("valuesTrue", rule.true_count)
      .Number("valuesFalse", rule.false_count)
      .Number("valuesFailed", rule.error_count)
      .BoolIfTrue("outOfBudget", rule.is_out_of_budget)
      .NumberIfAny("valuesLeftOut", rule.values_left_out)
      .List("values", rule.values,
            [&arena](const ExplainedValue& value) { return ValueJson(value, arena); });
  return builder.Build();
}

}  // namespace

Value ToJson(const ObjectExplanation& explanation, Arena& arena) {
  ObjectBuilder builder = BeginReport("RuleExplanation", explanation.run, arena);
  builder.Text("crd", explanation.crd)
      .TextIfAny("source", explanation.source)
      .Text("version", explanation.version)
      .TextIfAny("namespace", explanation.namespace_)
      .Text("name", explanation.name)
      .Text("release", explanation.release)
      .Number("callCostLimit", kube::cel::kCallCostLimit)
      .Number("objectCostLimit", static_cast<std::uint64_t>(kube::schema::kRuleBudget));
  builder.List("rules", explanation.rules,
               [&arena](const RuleExplanation& rule) { return RuleJson(rule, arena); });
  return builder.Build();
}

}  // namespace plugin::report
