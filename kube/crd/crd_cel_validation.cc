#include "kube/crd/crd_cel_validation.h"

#include <algorithm>
#include <cstdio>

#include "kube/cel/cost.h"
#include "kube/meta/make_field_error.h"

namespace kube::crd {
namespace {

using kube::meta::Child;
using schema::SchemaProps;

/// The most that all rules of a schema may cost together.
constexpr std::uint64_t kMostSchemaCost = 100000000;

/// How many values of the schemas in it one value of a schema has at most; absent: no limit.
std::optional<std::uint64_t> MostElements(const SchemaProps& schema) {
  const auto limit = [](const std::optional<std::int64_t>& most) -> std::optional<std::uint64_t> {
    if (!most) return std::nullopt;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(*most, 0));
  };
  if (schema.type == "array") return limit(schema.max_items);
  if (schema.type == "object" && schema.additional_properties) return limit(schema.max_properties);
  return 1;
}

std::string CostMessage(std::string_view what, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  char text[64] = "more than 100x";
  if (factor < 1.5) {
    std::snprintf(text, sizeof text, "%fx", factor);
  } else if (factor <= 100) {
    std::snprintf(text, sizeof text, "%.1fx", factor);
  }
  return std::string(what) + " exceeds budget by factor of " + text +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
}

}  // namespace

RuleContext::RuleContext(const SchemaProps& schema)
    : schema_(schema), is_in_scope_(schema.HasRules()), cardinality_(1) {
  if (is_in_scope_) FindType(schema, true);
}

RuleContext::RuleContext(const RuleContext& parent, const SchemaProps& schema)
    : schema_(schema),
      types_(parent.types_),
      is_in_scope_(parent.is_in_scope_ || schema.HasRules()) {
  const auto elements = MostElements(parent.schema_);
  if (parent.cardinality_ && elements) {
    cardinality_ = cel::MultiplyCost(*parent.cardinality_, *elements);
  }
  if (is_in_scope_) FindType(schema, schema.x_embedded_resource);
}

void RuleContext::FindType(const SchemaProps& schema, bool is_resource) {
  if (types_ != nullptr) type_ = types_->Find(schema);
  if (type_ != nullptr && type_->is_declared) return;
  own_types_ = std::make_unique<schema::RuleTypes>(schema, is_resource);
  types_ = own_types_.get();
  type_ = types_->root().is_declared ? &types_->root() : nullptr;
}

std::uint64_t RuleContext::most_values() const {
  if (cardinality_) return *cardinality_;
  const std::int64_t smallest = type_ == nullptr ? 0 : type_->min_serialized_size;
  // With a comma between two values.
  return static_cast<std::uint64_t>(schema::kMostRequestBytes / (smallest + 1));
}

void CelValidator::Check(const SchemaProps& schema, const std::string& path,
                         const RuleContext& context, std::string_view uncorrelatable) {
  const std::string rules_path = Child(path, "x-kubernetes-validations");
  if (context.type() == nullptr) {
    errors_.push_back({meta::ErrorType::kInternal, rules_path, "",
                       "internal error: failed to construct type information for "
                       "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                       "declarations"});
    return;
  }
  const auto compiled = schema::CompileRules(
      *schema.x_validations, schema, *context.type(), [&](std::string_view text, bool is_message) {
        const bool is_known =
            (is_message ? checks_.known.messages : checks_.known.rules).contains(text);
        return is_known ? checks_.server : schema::NewRuleRelease(checks_.server);
      });
  const std::uint64_t cardinality = context.most_values();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const schema::ValidationRule& rule = (*schema.x_validations)[i];
    const std::string rule_path = meta::Index(rules_path, i);
    CheckRule(rule, compiled[i], rule_path, cel::MultiplyCost(compiled[i].cost, cardinality));
    CheckOldSelf(rule, compiled[i], rule_path, uncorrelatable);
  }
}

void CelValidator::CheckCost(const std::string& path, std::string_view what, std::uint64_t cost) {
  if (!checks_.is_unchanged && cost > kMostRuleCost) {
    errors_.push_back(meta::Forbidden(path, CostMessage(what, cost, kMostRuleCost)));
  }
  total_ = cel::AddCost(total_, cost);
  if (cost >= kMostSchemaCost / 100) most_expensive_.push_back({path, cost});
}

void CelValidator::CheckRule(const schema::ValidationRule& rule,
                             const schema::CompiledRule& compiled, const std::string& path,
                             std::uint64_t cost) {
  const std::string rule_path = Child(path, "rule");
  CheckCost(rule_path, "estimated rule cost", cost);
  if (!compiled.error.empty()) {
    errors_.push_back(meta::Invalid(rule_path, schema::PrintGo(rule), compiled.error));
  }
  const std::string message_path = Child(path, "messageExpression");
  if (!compiled.message_error.empty()) {
    errors_.push_back(meta::Invalid(message_path, schema::PrintGo(rule), compiled.message_error));
  } else if (compiled.message) {
    CheckCost(message_path, "estimated messageExpression cost", compiled.message_cost);
  }
}

void CelValidator::CheckOldSelf(const schema::ValidationRule& rule,
                                const schema::CompiledRule& compiled, const std::string& path,
                                std::string_view uncorrelatable) {
  if (compiled.uses_old_self && !uncorrelatable.empty()) {
    errors_.push_back(meta::InvalidText(
        Child(path, "rule"), rule.rule,
        "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
            std::string(uncorrelatable)));
  }
  if (!compiled.uses_old_self && rule.optional_old_self) {
    errors_.push_back(meta::Invalid(Child(path, "optionalOldSelf"),
                                    *rule.optional_old_self ? "true" : "false",
                                    "may not be set if oldSelf is not used in rule"));
  }
}

std::vector<meta::FieldError> CelValidator::TakeErrors(const std::string& path) {
  constexpr std::size_t kMostNamed = 4;
  if (total_ > kMostSchemaCost) {
    std::ranges::stable_sort(most_expensive_, std::ranges::greater(), &Expensive::cost);
    if (most_expensive_.size() > kMostNamed) most_expensive_.resize(kMostNamed);
    for (const Expensive& expensive : most_expensive_) {
      errors_.push_back(meta::Forbidden(expensive.path,
                                        "contributed to estimated rule cost total exceeding cost "
                                        "limit for entire OpenAPIv3 schema"));
    }
    errors_.push_back(meta::Forbidden(
        path, CostMessage("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                          "schema",
                          total_, kMostSchemaCost)));
  }
  return std::move(errors_);
}

}  // namespace kube::crd
