#include "kube/schema/rule_validation.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "kube/go/go_format.h"
#include "kube/go/go_printable.h"
#include "kube/meta/make_field_error.h"
#include "kube/schema/correlation.h"

namespace kube::schema {
namespace {

using go::TrimGoSpace;
using meta::FieldError;

constexpr std::size_t kLongestMessage = 5 * 1024;
// Of values, by all rules of one object: about a second. What costs little may take long, such as
// regular expressions that an object brings.
constexpr std::uint64_t kMostVisits = 5 * cel::Memory::kMostVisits;

/// True where rules stand in the part of a schema that objects are walked by.
bool HasAnyRules(const SchemaProps& schema) {
  if (schema.HasRules()) return true;
  const SchemaProps* items = schema.ItemsSchema();
  if (items != nullptr && HasAnyRules(*items)) return true;
  const SchemaProps* values = schema.ValuesSchema();
  if (values != nullptr && HasAnyRules(*values)) return true;
  return std::ranges::any_of(schema.properties,
                             [](const auto& property) { return HasAnyRules(property.second); });
}

/// What an error calls the rule: its message, else the rule.
std::string NameOf(const ValidationRule& rule) {
  return std::string(TrimGoSpace(rule.message.empty() ? rule.rule : rule.message));
}

std::string MessageOf(const ValidationRule& rule) {
  return rule.message.empty() ? "failed rule: " + NameOf(rule) : NameOf(rule);
}

/// A value with what it was before, and the schema of both.
struct Pair {
  const json::Value* value = nullptr;
  const json::Value* old = nullptr;
  const SchemaProps* schema = nullptr;
};

/// Where a walk is between a value and what it was, for ratcheting.
struct Ratchet {
  std::optional<Pair> current;  ///< absent: there is nothing that it was
  std::optional<Pair> nearest;  ///< above that
};

}  // namespace

/// The rules of one schema, with those of the schemas in it.
struct RuleValidator::Node {
  const SchemaProps* schema = nullptr;  ///< what values are read by
  const cel::SchemaType* type = nullptr;
  const std::vector<ValidationRule>* rules = nullptr;
  std::vector<CompiledRule> compiled;
  std::string error;  ///< why none could be compiled
  std::unique_ptr<Node> items;
  std::unique_ptr<Node> values;
  std::map<std::string_view, std::unique_ptr<Node>> properties;
  std::vector<std::unique_ptr<Node>> all_of;

  bool has_rules() const {
    return !compiled.empty() || !error.empty() || items || values || !properties.empty() ||
           !all_of.empty();
  }
};

class RuleValidator::Maker {
 public:
  Maker(const RuleTypes& types, base::Release release) : types_(types), release_(release) {}

  /// `rules` are those of `node` itself, or of a part of its allOf. Null where there are none.
  std::unique_ptr<Node> Make(const SchemaProps& rules, const SchemaProps& node,
                             const cel::SchemaType* type) {
    auto made = std::make_unique<Node>();
    made->schema = &node;
    made->type = type;
    if (rules.x_validations) Compile(*rules.x_validations, *made);
    MakeChildren(rules, node, *made);
    for (const SchemaProps& part : rules.all_of) {
      if (auto child = Make(part, node, type)) made->all_of.push_back(std::move(child));
    }
    return made->has_rules() ? std::move(made) : nullptr;
  }

  /// `rules` for values of `schema`, and nothing for what is in them.
  std::unique_ptr<Node> MakeOf(const std::vector<ValidationRule>& rules,
                               const SchemaProps& schema) {
    auto made = std::make_unique<Node>();
    made->schema = &schema;
    made->type = &types_.root();
    Compile(rules, *made);
    return made->has_rules() ? std::move(made) : nullptr;
  }

 private:
  void Compile(const std::vector<ValidationRule>& rules, Node& node) {
    if (rules.empty()) return;
    node.rules = &rules;
    if (node.type == nullptr || !node.type->is_declared) {
      node.error = "failed to convert to declType for CEL validation rules";
      return;
    }
    node.compiled = CompileRules(rules, *node.schema, *node.type,
                                 [this](std::string_view, bool) { return release_; });
  }

  void MakeChildren(const SchemaProps& rules, const SchemaProps& node, Node& made) {
    const SchemaProps* rule_items = rules.ItemsSchema();
    const SchemaProps* items = node.ItemsSchema();
    if (rule_items != nullptr && items != nullptr) {
      made.items = Make(*rule_items, *items, types_.Find(*items));
    }
    const SchemaProps* rule_values = rules.ValuesSchema();
    const SchemaProps* values = node.ValuesSchema();
    if (rule_values != nullptr && values != nullptr) {
      made.values = Make(*rule_values, *values, types_.Find(*values));
    }
    for (const auto& [name, rule_property] : rules.properties) {
      const SchemaProps* property = node.FindProperty(name);
      // What expressions cannot see is left out.
      const cel::SchemaType* type = property == nullptr ? nullptr : types_.Find(*property);
      if (type == nullptr || !type->is_declared) continue;
      if (auto child = Make(rule_property, *property, type)) {
        made.properties[name] = std::move(child);
      }
    }
  }

  const RuleTypes& types_;
  const base::Release release_;
};

/// One walk over a value.
class RuleValidator::Run {
 public:
  Run(RuleOutcome& outcome, std::int64_t budget) : outcome_(outcome) { Left() = budget; }

  void Validate(const Node& node, const std::string& path, const json::Value& value,
                const json::Value* old, const Ratchet& ratchet) {
    if (value.is_null()) return;
    if (old != nullptr && old->is_null()) old = nullptr;
    Evaluate(node, path, value, old, ratchet);
    for (const auto& part : node.all_of) {
      if (Left() < 0) return;
      // Nothing below allOf is ratcheted by itself.
      Validate(*part, path, value, old, {std::nullopt, ratchet.nearest});
    }
    if (Left() < 0) return;
    if (value.is_array()) ValidateArray(node, path, value, old, ratchet);
    if (value.is_object()) ValidateObject(node, path, value, old, ratchet);
  }

 private:
  /// The values of the variables of an expression, self and oldSelf.
  using Variables = std::array<cel::Value, 2>;

  std::int64_t& Left() { return outcome_.budget_left; }

  void ValidateArray(const Node& node, const std::string& path, const json::Value& array,
                     const json::Value* old, const Ratchet& ratchet) {
    if (node.items == nullptr) return;
    if (old != nullptr && !old->is_array()) old = nullptr;
    for (std::size_t i = 0; i < array.size() && Left() >= 0; ++i) {
      const json::Value& item = array.elements()[i];
      const json::Value* old_item =
          old == nullptr ? nullptr : correlation_.OldElement(*old, item, *node.schema);
      Validate(*node.items, meta::Index(path, i), item, old_item, Below(ratchet, item));
    }
  }

  void ValidateObject(const Node& node, const std::string& path, const json::Value& object,
                      const json::Value* old, const Ratchet& ratchet) {
    if (old != nullptr && (!old->is_object() || !node.schema->HasKnownMapType())) old = nullptr;
    for (const json::Member& member : object.members()) {
      const std::string_view key = member.key.text();
      const Node* child = node.values.get();
      std::string child_path = child == nullptr ? "" : meta::Key(path, key);
      if (child == nullptr) {
        const auto found = node.properties.find(key);
        if (found == node.properties.end()) continue;
        child = found->second.get();
        child_path = meta::Child(path, key);
      }
      Validate(*child, child_path, member.value, old == nullptr ? nullptr : old->Find(key),
               Below(ratchet, key, member.value));
      if (Left() < 0) return;
    }
  }

  /// The same for a member. apiVersion and kind of the object itself are as good as new: they are
  /// those of the version that the request names.
  Ratchet Below(const Ratchet& ratchet, std::string_view key, const json::Value& value) {
    if (!ratchet.current) return ratchet;
    if (!ratchet.nearest && (key == "apiVersion" || key == "kind")) return {};
    const Pair& pair = *ratchet.current;
    const json::Value* old = correlation_.OldMember(*pair.old, key, *pair.schema);
    const SchemaProps* property = pair.schema->FindProperty(key);
    if (property == nullptr) property = pair.schema->ValuesSchema();
    if (old == nullptr || property == nullptr) return {std::nullopt, pair};
    return {Pair{&value, old, property}, pair};
  }

  Ratchet Below(const Ratchet& ratchet, const json::Value& item) {
    if (!ratchet.current) return ratchet;
    const Pair& pair = *ratchet.current;
    const json::Value* old = correlation_.OldElement(*pair.old, item, *pair.schema);
    const SchemaProps* items = pair.schema->ItemsSchema();
    if (old == nullptr || items == nullptr) return {std::nullopt, pair};
    return {Pair{&item, old, items}, pair};
  }

  bool IsUnchanged(const Ratchet& ratchet) {
    const auto& pair = ratchet.current ? ratchet.current : ratchet.nearest;
    return pair && correlation_.IsUnchanged(*pair->value, *pair->old, *pair->schema);
  }

  // ---- The rules of one value.

  void Evaluate(const Node& node, const std::string& path, const json::Value& value,
                const json::Value* old, const Ratchet& ratchet) {
    if (!node.error.empty()) {
      return AddOfType(node, path, "rule compiler initialization error: " + node.error);
    }
    if (node.compiled.empty()) return;
    if (Left() <= 0) return RunOut(node, path);
    json::Arena arena;
    cel::Memory memory(arena);
    Variables plain = {cel::ReadJson(memory, value, node.type), cel::Value()};
    Variables optional = {plain[0], memory.NoOptional()};
    // A messageExpression alone is given no oldSelf.
    if (old != nullptr && std::ranges::any_of(node.compiled, &CompiledRule::uses_old_self)) {
      plain[1] = cel::ReadJson(memory, *old, node.type);
      optional[1] = memory.Optional(plain[1]);
    }
    for (std::size_t i = 0; i < node.compiled.size() && Left() >= 0; ++i) {
      const CompiledRule& compiled = node.compiled[i];
      const bool is_optional = (*node.rules)[i].optional_old_self.value_or(false);
      if (!compiled.error.empty()) {
        AddOfType(node, path, "rule compile error: " + compiled.error);
        continue;
      }
      // Without a value before there is no transition.
      if (!compiled.program || (compiled.uses_old_self && old == nullptr && !is_optional)) continue;
      if (!Holds(node, i, path, is_optional ? optional : plain)) {
        // Not the optional one, whatever the messageExpression was compiled for.
        AddFailure(node, i, path, value, plain, ratchet);
      }
    }
  }

  /// Whether the rule is not false. Adds the error if there is no answer.
  bool Holds(const Node& node, std::size_t index, const std::string& path,
             const Variables& variables) {
    const CompiledRule& compiled = node.compiled[index];
    const ValidationRule& rule = (*node.rules)[index];
    // Each rule may build as much as it may.
    scratch_.Reset();
    const cel::Evaluation result = compiled.program->Evaluate(variables, scratch_);
    if (result.cost > static_cast<std::uint64_t>(Left())) {
      RunOut(node, path);
      return true;
    }
    Left() -= static_cast<std::int64_t>(result.cost);
    if (result.visits > visits_left_) {
      AddEvaluationError(node, path, rule, cel::kCostLimitExceeded);
      return true;
    }
    visits_left_ -= result.visits;
    if (result.value.is_error()) AddEvaluationError(node, path, rule, result.value.text());
    return result.value.is_error() || result.value.is_true();
  }

  void AddEvaluationError(const Node& node, const std::string& path, const ValidationRule& rule,
                          std::string_view error) {
    const std::string text(error);
    if (error.starts_with("no such overload")) {
      AddOfType(node, path,
                "'" + text +
                    "': call arguments did not match a supported operator, function or macro "
                    "signature for rule: " +
                    NameOf(rule));
    } else if (error.starts_with(cel::kCostLimitExceeded)) {
      AddOfType(node, path,
                "'" + text +
                    "': no further validation rules will be run due to call cost exceeds limit for "
                    "rule: " +
                    NameOf(rule));
      Left() = -1;
    } else {
      AddOfType(node, path, text + " evaluating rule: " + NameOf(rule));
    }
  }

  void AddFailure(const Node& node, std::size_t index, const std::string& path,
                  const json::Value& value, const Variables& variables, const Ratchet& ratchet) {
    const CompiledRule& compiled = node.compiled[index];
    const ValidationRule& rule = (*node.rules)[index];
    const std::string place =
        compiled.field_path.empty() ? path : meta::Child(path, compiled.field_path);
    const auto add = [&](FieldError error) {
      const bool is_tolerated = !compiled.uses_old_self && IsUnchanged(ratchet);
      (is_tolerated ? outcome_.warnings : outcome_.errors).push_back(std::move(error));
    };
    std::string detail = MessageOf(rule);
    if (compiled.message) {
      const Message message = EvaluateMessage(*compiled.message, rule, variables);
      if (!message.fatal.empty()) {
        add(meta::InvalidText(Printed(place), node.schema->type, message.fatal));
        Left() = -1;
        return;
      }
      if (!message.text.empty()) detail = message.text;
    }
    add(ErrorFor(rule, *node.schema, Printed(place), value, detail));
  }

  /// What a messageExpression comes to.
  struct Message {
    std::string text;   ///< empty: nothing that could be used
    std::string fatal;  ///< why no more rules are evaluated; empty: they are
  };

  Message EvaluateMessage(const cel::Program& program, const ValidationRule& rule,
                          const Variables& variables) {
    const cel::Evaluation result = program.Evaluate(variables, scratch_);
    if (result.cost > static_cast<std::uint64_t>(Left())) {
      return {"",
              "messageExpression evaluation failed due to running out of cost budget, no "
              "further validation rules will be run"};
    }
    if (result.value.is_error() && result.value.text().starts_with(cel::kCostLimitExceeded)) {
      return {"",
              "no further validation rules will be run due to call cost exceeds limit for "
              "messageExpression: " +
                  go::GoQuote(rule.message_expression)};
    }
    Left() -= static_cast<std::int64_t>(result.cost);
    if (!result.value.is_string()) return {};
    const std::string_view text = TrimGoSpace(result.value.text());
    const bool is_usable =
        text.size() <= kLongestMessage && text.find('\n') == std::string_view::npos;
    return {is_usable ? std::string(text) : "", ""};
  }

  static FieldError ErrorFor(const ValidationRule& rule, const SchemaProps& schema,
                             std::string path, const json::Value& value, std::string_view detail) {
    const std::string_view reason = rule.reason.value_or("");
    if (reason == "FieldValueForbidden") return meta::Forbidden(std::move(path), detail);
    if (reason == "FieldValueRequired") return meta::Required(std::move(path), detail);
    const bool is_compound = schema.type == "object" || schema.type == "array";
    std::string bad_value = is_compound ? "" : meta::PrintBadValue(value);
    FieldError error = reason == "FieldValueDuplicate"
                           ? meta::Duplicate(std::move(path), std::move(bad_value))
                           : meta::Invalid(std::move(path), std::move(bad_value), detail);
    error.omits_value = is_compound;
    return error;
  }

  /// The path, or what Go prints for none.
  static std::string Printed(const std::string& path) { return path.empty() ? "<nil>" : path; }

  void AddOfType(const Node& node, const std::string& path, std::string_view detail) {
    outcome_.errors.push_back(meta::InvalidText(Printed(path), node.schema->type, detail));
  }

  void RunOut(const Node& node, const std::string& path) {
    AddOfType(node, path,
              "validation failed due to running out of cost budget, no further validation rules "
              "will be run");
    Left() = -1;
  }

  RuleOutcome& outcome_;
  Correlation correlation_;
  json::Arena scratch_;  // of the rule at hand
  std::uint64_t visits_left_ = kMostVisits;
};

RuleValidator::RuleValidator(const SchemaProps& schema, bool is_resource)
    : types_(schema, is_resource) {}

RuleValidator::~RuleValidator() = default;

std::unique_ptr<RuleValidator> RuleValidator::Make(const SchemaProps& schema, bool is_resource,
                                                   base::Release release) {
  if (!HasAnyRules(schema)) return nullptr;
  std::unique_ptr<RuleValidator> made(new RuleValidator(schema, is_resource));
  made->root_ = Maker(made->types_, release).Make(schema, schema, &made->types_.root());
  return made->root_ == nullptr ? nullptr : std::move(made);
}

std::unique_ptr<RuleValidator> RuleValidator::MakeOf(const std::vector<ValidationRule>& rules,
                                                     const SchemaProps& schema, bool is_resource,
                                                     base::Release release) {
  std::unique_ptr<RuleValidator> made(new RuleValidator(schema, is_resource));
  made->root_ = Maker(made->types_, release).MakeOf(rules, schema);
  return made->root_ == nullptr ? nullptr : std::move(made);
}

bool RuleValidator::HasTransitionRules() const {
  return std::ranges::any_of(root_->compiled, &CompiledRule::uses_old_self);
}

RuleOutcome RuleValidator::Validate(const json::Value& value, std::string_view path,
                                    const RuleUpdate& update, std::int64_t budget) const {
  RuleOutcome outcome;
  Run run(outcome, budget);
  Ratchet ratchet;
  if (update.ratchets && update.old != nullptr) {
    ratchet.current = Pair{&value, update.old, root_->schema};
  }
  run.Validate(*root_, std::string(path), value, update.old, ratchet);
  return outcome;
}

}  // namespace kube::schema
