#include "kube/crd/rule_explanation.h"

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "kube/crd/crd_cel_validation.h"
#include "kube/meta/field_error.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/rules.h"

namespace kube::crd {
namespace {

using Answer = ExplainedValue::Answer;

// Of values, by all evaluations for one object. As much as a validation looks at.
constexpr std::uint64_t kMostVisits = 5 * cel::Memory::kMostVisits;

constexpr char kNotDeclared[] =
    "rule compiler initialization error: failed to convert to declType for CEL validation rules";

RuleExplanation Described(const RulePlace& place) {
  const schema::ValidationRule& rule = *place.rule;
  return {.name = place.Name(),
          .schema_path = place.schema_path,
          .field_path = place.field_path,
          .index = place.index,
          .rule = std::string(rule.rule),
          .message = std::string(rule.message),
          .message_expression = std::string(rule.message_expression)};
}

Answer AnswerOf(const cel::Value& value) {
  if (value.is_true()) return Answer::kTrue;
  return value.is_false() ? Answer::kFalse : Answer::kError;
}

}  // namespace

/// One rule and one object.
class RuleExplainer::Run {
 public:
  Run(const RuleExplainer& explainer, const RulePlace& place)
      : explainer_(explainer),
        place_(place),
        type_(place.steps.empty() ? &explainer.types_.root()
                                  : explainer.types_.Find(*place.schema)),
        rule_{*place.rule},
        result_(Described(place)) {}

  RuleExplanation Explain(const json::Value& object) {
    if (Compile()) Walk(object, "", place_.steps);
    return std::move(result_);
  }

 private:
  /// False: it does not compile.
  bool Compile() {
    if (type_ == nullptr || !type_->is_declared) {
      result_.compile_error = kNotDeclared;
      return false;
    }
    const auto release = [this](std::string_view, bool) { return explainer_.server_; };
    compiled_ = std::move(schema::CompileRules(rule_, *place_.schema, *type_, release).front());
    result_.uses_old_self = compiled_.uses_old_self;
    result_.estimated_cost = compiled_.cost;
    result_.estimated_object_cost = cel::MultiplyCost(compiled_.cost, place_.most_values);
    if (!compiled_.error.empty()) {
      result_.compile_error = "rule compile error: " + compiled_.error;
    } else if (!compiled_.program) {
      result_.compile_error = "the rule is empty";
    } else {
      result_.compile_error = compiled_.message_error;
    }
    if (!result_.compile_error.empty()) return false;
    const bool is_resource = place_.steps.empty() || place_.schema->x_embedded_resource;
    validator_ =
        schema::RuleValidator::MakeOf(rule_, *place_.schema, is_resource, explainer_.server_);
    return true;
  }

  /// Explains all values that `steps` lead to.
  void Walk(const json::Value& value, const std::string& path, std::span<const ValueStep> steps) {
    if (value.is_null() || result_.is_out_of_budget) return;
    if (steps.empty()) return Explain(value, path);
    const auto rest = steps.subspan(1);
    switch (steps.front().kind) {
      case ValueStep::Kind::kItems:
        if (!value.is_array()) return;
        for (std::size_t i = 0; i < value.size(); ++i) {
          Walk(value.elements()[i], meta::Index(path, i), rest);
        }
        return;
      case ValueStep::Kind::kValues:
        if (!value.is_object()) return;
        for (const json::Member& member : value.members()) {
          Walk(member.value, meta::Key(path, member.key.text()), rest);
        }
        return;
      default:
        break;
    }
    const std::string_view name = steps.front().name;
    const json::Value* field = value.is_object() ? value.Find(name) : nullptr;
    if (field != nullptr) Walk(*field, meta::Child(path, name), rest);
  }

  void Explain(const json::Value& value, const std::string& path) {
    ExplainedValue explained{.path = path};
    {
      json::Arena arena;
      const cel::Evaluation evaluation = Evaluate(value, arena, nullptr);
      explained.answer = AnswerOf(evaluation.value);
      explained.cost = evaluation.cost;
      visits_ += evaluation.visits;
    }
    result_.cost = cel::AddCost(result_.cost, explained.cost);
    result_.is_out_of_budget =
        result_.cost > static_cast<std::uint64_t>(schema::kRuleBudget) || visits_ > kMostVisits;
    if (++CountOf(explained.answer) > kValuesKept) {
      ++result_.values_left_out;
      return;
    }
    if (explained.answer != Answer::kTrue) explained.error = ErrorOf(value, path);
    Trace(value, explained);
    result_.values.push_back(std::move(explained));
  }

  /// What is kept of few values is not made of all.
  void Trace(const json::Value& value, ExplainedValue& explained) const {
    cel::Tracer tracer(place_.rule->rule);
    json::Arena arena;
    (void)Evaluate(value, arena, &tracer);
    explained.trace = tracer.Take();
  }

  cel::Evaluation Evaluate(const json::Value& value, json::Arena& arena,
                           cel::StepObserver* observer) const {
    cel::Memory memory(arena);
    const cel::Value self = cel::ReadJson(memory, value, type_);
    const bool is_optional = place_.rule->optional_old_self.value_or(false);
    const std::array variables = {self, is_optional ? memory.Optional(self) : self};
    return compiled_.program->Evaluate(variables, arena, cel::kCallCostLimit, observer);
  }

  std::string ErrorOf(const json::Value& value, const std::string& path) const {
    const auto outcome = validator_->Validate(value, path, {.old = &value});
    return outcome.errors.empty() ? "" : outcome.errors.front().ToString();
  }

  std::uint64_t& CountOf(Answer answer) {
    if (answer == Answer::kTrue) return result_.true_count;
    return answer == Answer::kFalse ? result_.false_count : result_.error_count;
  }

  const RuleExplainer& explainer_;
  const RulePlace& place_;
  const cel::SchemaType* type_;
  const std::vector<schema::ValidationRule> rule_;
  RuleExplanation result_;
  schema::CompiledRule compiled_;
  std::unique_ptr<schema::RuleValidator> validator_;
  std::uint64_t visits_ = 0;
};

RuleExplanation RuleExplainer::Explain(const RulePlace& place, const json::Value& object) const {
  return Run(*this, place).Explain(object);
}

}  // namespace kube::crd
