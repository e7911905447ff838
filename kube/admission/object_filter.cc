#include "kube/admission/object_filter.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "kube/base/text.h"
#include "kube/meta/names.h"

namespace kube::admission {
namespace {

using json::Value;

/// Whether all requirements hold for labels, or annotations.
bool Hold(const std::vector<LabelRequirement>& requirements, const Value& texts) {
  return std::ranges::all_of(requirements, [&texts](const LabelRequirement& requirement) {
    const Value* text = texts.Find(requirement.key);
    return text == nullptr ? meta::Holds(requirement, std::nullopt)
                           : meta::Holds(requirement, text->text());
  });
}

bool IsSame(const FieldRequirement::FieldValue& wanted, const Value& field) {
  if (const auto* text = std::get_if<std::string>(&wanted)) {
    return field.is_string() && field.text() == *text;
  }
  if (const bool* flag = std::get_if<bool>(&wanted)) {
    return field.is_bool() && field.AsBool() == *flag;
  }
  const std::string number = std::to_string(std::get<std::int64_t>(wanted));
  return field.is_number() && json::Equal(field, Value::Number(number));
}

bool Holds(const FieldRequirement& requirement, const Value& object) {
  const Value* field = &object;
  for (const std::string& key : requirement.path) {
    field = field == nullptr ? nullptr : field->Find(key);
  }
  switch (requirement.operator_) {
    case FieldRequirement::Operator::kExists:
      return field != nullptr;
    case FieldRequirement::Operator::kDoesNotExist:
      return field == nullptr;
    case FieldRequirement::Operator::kIs:
      return field != nullptr && IsSame(requirement.value, *field);
  }
  return false;
}

/// `name` is what people call the requirement: `label "a"`.
void AddValuesProblem(const LabelRequirement& requirement, const std::string& name,
                      std::vector<std::string>& problems) {
  const bool is_empty = requirement.values.empty();
  if (meta::NeedsValues(requirement.operator_) != is_empty) return;
  problems.push_back(
      name + (is_empty ? ": must be specified when `operator` is 'In' or 'NotIn'"
                       : ": may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
}

}  // namespace

bool Matches(const ObjectFilter& filter, const Value* object) {
  if (filter.empty()) return true;
  if (object == nullptr) return false;
  const Value& metadata = object->At("metadata");
  return Hold(filter.labels, metadata.At("labels")) &&
         Hold(filter.annotations, metadata.At("annotations")) &&
         std::ranges::all_of(filter.fields, [object](const FieldRequirement& requirement) {
           return Holds(requirement, *object);
         });
}

std::vector<std::string> LabelSelectorProblems(const LabelSelector& selector) {
  std::vector<std::string> problems;
  for (const LabelRequirement& requirement : selector) {
    const std::string name = "label \"" + requirement.key + "\"";
    for (const std::string& problem : meta::LabelKeyProblems(requirement.key)) {
      problems.push_back(name + ": " + problem);
    }
    AddValuesProblem(requirement, name, problems);
    for (const std::string& value : requirement.values) {
      for (const std::string& problem : meta::LabelValueProblems(value)) {
        problems.push_back(name + ", value \"" + value + "\": " + problem);
      }
    }
  }
  return problems;
}

std::vector<std::string> ObjectFilterProblems(const ObjectFilter& filter) {
  std::vector<std::string> problems = LabelSelectorProblems(filter.labels);
  for (const AnnotationRequirement& requirement : filter.annotations) {
    const std::string name = "annotation \"" + requirement.key + "\"";
    // apimachinery pkg/api/validation, ValidateAnnotations.
    for (const std::string& problem : meta::LabelKeyProblems(base::ToLower(requirement.key))) {
      problems.push_back(name + ": " + problem);
    }
    AddValuesProblem(requirement, name, problems);
  }
  for (const FieldRequirement& requirement : filter.fields) {
    if (requirement.path.empty()) problems.emplace_back("a field needs a path");
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
