#include "kube/admission/label_requirement.h"

#include <algorithm>
#include <optional>

#include "kube/meta/names.h"

namespace kube::admission {
namespace {

using json::Value;

}  // namespace

bool Matches(const LabelSelector& selector, const Value* object) {
  if (selector.empty()) return true;
  if (object == nullptr) return false;
  const Value* metadata = object->Find("metadata");
  const Value* labels = metadata == nullptr ? nullptr : metadata->Find("labels");
  return std::ranges::all_of(selector, [labels](const LabelRequirement& requirement) {
    const Value* label = labels == nullptr ? nullptr : labels->Find(requirement.key);
    return label == nullptr ? meta::Holds(requirement, std::nullopt)
                            : meta::Holds(requirement, label->text());
  });
}

std::vector<std::string> LabelSelectorProblems(const LabelSelector& selector) {
  std::vector<std::string> problems;
  for (const auto& [key, operator_, values] : selector) {
    for (const std::string& problem : meta::LabelKeyProblems(key)) {
      problems.push_back("label \"" + key + "\": " + problem);
    }
    if (meta::NeedsValues(operator_) == values.empty()) {
      problems.push_back(values.empty()
                             ? "label \"" + key +
                                   "\": must be specified when `operator` is 'In' or 'NotIn'"
                             : "label \"" + key +
                                   "\": may not be specified when `operator` is 'Exists' or "
                                   "'DoesNotExist'");
    }
    for (const std::string& value : values) {
      for (const std::string& problem : meta::LabelValueProblems(value)) {
        problems.push_back("label \"" + key + "\", value \"" + value + "\": " + problem);
      }
    }
  }
  return problems;
}

Value LabelSelectorJson(const LabelSelector& selector, json::Arena& arena) {
  Value expressions = Value::Array();
  for (const auto& [key, operator_, values] : selector) {
    Value expression = Value::Object();
    expression.Set("key", Value::String(key), arena);
    expression.Set("operator", Value::String(meta::OperatorName(operator_)), arena);
    if (!values.empty()) {
      Value* list = expression.Set("values", Value::Array(), arena);
      for (const std::string& value : values) list->Append(Value::String(value), arena);
    }
    expressions.Append(expression, arena);
  }
  Value result = Value::Object();
  result.Set("matchExpressions", expressions, arena);
  return result;
}

}  // namespace kube::admission
