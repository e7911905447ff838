#include "plugin/report/rule_explanation_text.h"

#include <algorithm>

#include "kube/base/text.h"
#include "kube/cel/cost.h"
#include "kube/meta/names.h"
#include "kube/schema/rule_validation.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

using kube::cel::TracedElement;
using kube::cel::TracedStep;
using kube::crd::ExplainedValue;
using kube::crd::RuleExplanation;
using migrate::check::ObjectExplanation;

// Deeper ones stand where these do.
constexpr std::size_t kMostIndent = 20;

/// Appends "Title:   text"; what follows a line break stands below the beginning of the text.
void AppendField(std::string& out, std::string_view title, std::string_view text) {
  constexpr std::size_t kWidth = 10;
  std::string begin = std::string(title) + ":";
  begin.resize(kWidth, ' ');
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += begin;
    terminal::AppendPrintable(out, text.substr(at, end - at));
    out += '\n';
    begin.assign(kWidth, ' ');
    at = end + 1;
  }
}

std::string CostText(std::uint64_t cost) {
  return cost == kube::cel::kUnbounded ? "more than can be counted" : std::to_string(cost);
}

// ---- Steps.

void AddSteps(const std::vector<TracedStep>& steps, std::size_t level, TextTable& table);

std::string Indented(std::size_t level, std::string_view text) {
  return std::string(std::min(2 * level, kMostIndent), ' ').append(text);
}

void AddElement(const TracedElement& element, std::size_t level, TextTable& table) {
  std::string names = "[" + std::to_string(element.number) + "]";
  std::string values;
  for (const TracedElement::Variable& variable : element.variables) {
    names += (values.empty() ? " " : ", ") + variable.name;
    values += (values.empty() ? "" : ", ") + variable.value;
  }
  if (element.decides) names += " (decides)";
  table.AddRow({Indented(level, names), values});
  AddSteps(element.steps, level + 1, table);
}

void AddSteps(const std::vector<TracedStep>& steps, std::size_t level, TextTable& table) {
  for (const TracedStep& step : steps) {
    for (const TracedElement& element : step.elements) AddElement(element, level + 1, table);
    if (step.elements_left_out > 0) {
      table.AddRow(
          {Indented(level + 1, "..."), kube::base::Count(step.elements_left_out, "more element") +
                                           " looked at, which did not decide"});
    }
    std::string value = step.is_error ? "error: " + step.value : step.value;
    if (step.value.empty()) value = "not finished: the evaluation ended here";
    table.AddRow({Indented(level, step.text), value});
  }
}

void AppendValue(std::string& out, const ExplainedValue& value) {
  out += '\n';
  terminal::AppendPrintable(out, value.path.empty() ? "the whole object" : value.path);
  out.append(": ").append(AnswerName(value.answer));
  out += ", at a cost of " + std::to_string(value.cost) + "\n";
  if (!value.error.empty()) {
    out += "  ";
    terminal::AppendPrintable(out, value.error);
    out += '\n';
  }
  TextTable table({"STEP", "VALUE"});
  AddSteps(value.trace.steps, 0, table);
  if (!value.trace.steps.empty()) table.AppendTo(out, "  ");
  if (value.trace.steps_left_out > 0) {
    out += "  ... and " + kube::base::Count(value.trace.steps_left_out, "more step") + "\n";
  }
}

// ---- Rules.

std::string CountsOf(const RuleExplanation& rule) {
  return std::to_string(rule.value_count()) + " (" + std::to_string(rule.true_count) + " true, " +
         std::to_string(rule.false_count) + " false, " +
         kube::base::Count(rule.error_count, "error") + ")";
}

void AppendCosts(std::string& out, const RuleExplanation& rule) {
  AppendField(out, "Cost",
              std::to_string(rule.cost) + "; all rules of an object may cost " +
                  std::to_string(kube::schema::kRuleBudget) + ", one evaluation " +
                  std::to_string(kube::cel::kCallCostLimit));
  AppendField(out, "Estimate",
              "at most " + CostText(rule.estimated_cost) + " a value, " +
                  CostText(rule.estimated_object_cost) + " an object");
}

void AppendNotes(std::string& out, const RuleExplanation& rule) {
  if (rule.value_count() == 0) {
    AppendField(out, "Note",
                "the object has no value there, so the server does not ask the rule of it");
  }
  if (rule.uses_old_self) {
    AppendField(out, "Note",
                "oldSelf is the value itself, as in a write that changes nothing; the server asks "
                "the rule of updates only, unless optionalOldSelf is true");
  }
  if (rule.is_out_of_budget) {
    AppendField(out, "Note",
                "the rule alone costs more than all rules of an object may; the values behind "
                "these were not asked");
  }
}

void AppendRule(std::string& out, const RuleExplanation& rule,
                const ObjectExplanation& explanation) {
  const std::string object = kube::meta::NamespacedName(explanation.namespace_, explanation.name);
  AppendField(out, "Rule", rule.name);
  AppendField(out, "Place", rule.schema_path);
  AppendField(out, "Text", rule.rule);
  if (!rule.message.empty()) AppendField(out, "Message", rule.message);
  if (!rule.message_expression.empty()) AppendField(out, "Message", rule.message_expression);
  AppendField(out, "Object",
              object + ", " + explanation.crd + " in version " + explanation.version +
                  ", Kubernetes " + explanation.release);
  if (!rule.compile_error.empty()) {
    AppendField(out, "Error", rule.compile_error);
    return;
  }
  AppendField(out, "Values", CountsOf(rule));
  AppendCosts(out, rule);
  AppendNotes(out, rule);
  for (const ExplainedValue& value : rule.values) AppendValue(out, value);
  if (rule.values_left_out > 0) {
    out += "\n... and " + kube::base::Count(rule.values_left_out, "more value") + "\n";
  }
}

}  // namespace

std::string_view AnswerName(ExplainedValue::Answer answer) {
  switch (answer) {
    case ExplainedValue::Answer::kTrue:
      return "true";
    case ExplainedValue::Answer::kFalse:
      return "false";
    default:
      return "error";
  }
}

std::string PrintExplanation(const ObjectExplanation& explanation) {
  std::string out;
  for (const RuleExplanation& rule : explanation.rules) {
    if (!out.empty()) out += '\n';
    AppendRule(out, rule, explanation);
  }
  return out;
}

}  // namespace plugin::report
