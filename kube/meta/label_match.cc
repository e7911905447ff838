#include "kube/meta/label_match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"

namespace kube::meta {
namespace {

using Operator = LabelRequirement::Operator;

constexpr std::array<std::pair<std::string_view, Operator>, 4> kOperatorNames = {{
    {"In", Operator::kIn},
    {"NotIn", Operator::kNotIn},
    {"Exists", Operator::kExists},
    {"DoesNotExist", Operator::kDoesNotExist},
}};

std::optional<Operator> ParseOperator(std::string_view name) {
  for (const auto& [known, operator_] : kOperatorNames) {
    if (name == known) return operator_;
  }
  return std::nullopt;
}

std::vector<std::string> ReadTexts(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& text : list.elements()) texts.emplace_back(text.text());
  return texts;
}

class SelectorReader {
 public:
  base::Result<LabelSelector, std::vector<FieldError>> Read(const json::Value& selector,
                                                            std::string_view path) {
    ReadMatchLabels(selector.At("matchLabels"), Child(path, "matchLabels"));
    const std::span<const json::Value> expressions = selector.At("matchExpressions").elements();
    const std::string list = Child(path, "matchExpressions");
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      ReadExpression(expressions[i], Index(list, i));
    }
    if (!errors_.empty()) return base::Unexpected(std::move(errors_));
    return std::move(selector_);
  }

 private:
  // As ValidateLabels: the path is that of the map, whichever label is wrong.
  void ReadMatchLabels(const json::Value& labels, const std::string& path) {
    for (const json::Member* label : json::SortedMembers(labels)) {
      const std::string_view key = label->key.text(), value = label->value.text();
      AppendInvalidTexts(errors_, path, key, LabelKeyProblems(key));
      AppendInvalidTexts(errors_, path, value, LabelValueProblems(value));
      selector_.push_back({std::string(key), Operator::kIn, {std::string(value)}});
    }
  }

  void ReadExpression(const json::Value& expression, const std::string& path) {
    LabelRequirement requirement{.key = std::string(expression.FindText("key")),
                                 .values = ReadTexts(expression.At("values"))};
    const std::string_view name = expression.FindText("operator");
    if (const auto operator_ = ParseOperator(name)) {
      requirement.operator_ = *operator_;
      CheckCount(requirement, Child(path, "values"));
    } else {
      errors_.push_back(
          InvalidText(Child(path, "operator"), name, "not a valid selector operator"));
    }
    AppendInvalidTexts(errors_, Child(path, "key"), requirement.key,
                       LabelKeyProblems(requirement.key));
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      const std::string& value = requirement.values[i];
      AppendInvalidTexts(errors_, Index(Child(path, "values"), i), value,
                         LabelValueProblems(value));
    }
    selector_.push_back(std::move(requirement));
  }

  void CheckCount(const LabelRequirement& requirement, std::string path) {
    const bool needs_values = NeedsValues(requirement.operator_);
    if (needs_values && requirement.values.empty()) {
      errors_.push_back(
          Required(std::move(path), "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (!needs_values && !requirement.values.empty()) {
      errors_.push_back(Forbidden(
          std::move(path), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  }

  LabelSelector selector_;
  std::vector<FieldError> errors_;
};

}  // namespace

std::string_view OperatorName(Operator operator_) {
  const auto found =
      std::ranges::find(kOperatorNames, operator_, [](const auto& known) { return known.second; });
  return found == kOperatorNames.end() ? std::string_view() : found->first;
}

bool NeedsValues(Operator operator_) {
  return operator_ == Operator::kIn || operator_ == Operator::kNotIn;
}

bool Holds(const LabelRequirement& requirement, std::optional<std::string_view> label) {
  const bool is_listed =
      label && std::ranges::find(requirement.values, *label) != requirement.values.end();
  switch (requirement.operator_) {
    case Operator::kIn:
      return is_listed;
    case Operator::kNotIn:
      return !is_listed;
    case Operator::kExists:
      return label.has_value();
    case Operator::kDoesNotExist:
      return !label;
  }
  return false;
}

bool Matches(const LabelSelector& selector, const Labels& labels) {
  return std::ranges::all_of(selector, [&labels](const LabelRequirement& requirement) {
    const auto label = labels.find(requirement.key);
    return label == labels.end() ? Holds(requirement, std::nullopt)
                                 : Holds(requirement, label->second);
  });
}

base::Result<LabelSelector, std::vector<FieldError>> ReadLabelSelector(const json::Value& selector,
                                                                       std::string_view path) {
  return SelectorReader().Read(selector, path);
}

}  // namespace kube::meta
