#include "kube/schema/default_validation.h"

#include <optional>
#include <string>

#include "kube/meta/make_field_error.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/embedded_resource_validation.h"
#include "kube/schema/pruning.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/structural.h"
#include "kube/schema/value_validation.h"

namespace kube::schema {
namespace {

/// The way from the resource that a default is in to the default.
struct Step {
  const Step* parent;
  std::optional<std::string_view> key;  ///< absent: into a list
};

/// What holds on the way down to a node.
struct Context {
  const Step* step = nullptr;
  const StructuralSchema* resource = nullptr;  ///< the schema of the resource that the node is in
  bool is_in_meta = false;                     ///< in apiVersion, kind or metadata of the resource
};

/// An error that the server words as text, put at `path`.
meta::FieldError AtPath(const std::string& path, const std::string& error) {
  const std::size_t end = error.find(": Invalid value: ");
  const std::string relative = error.substr(0, end);
  const std::string field =
      relative.starts_with('[') ? path + relative : meta::Child(path, relative);
  constexpr std::size_t kMarkSize = sizeof(": Invalid value: ") - 1;
  return meta::Invalid(field, end == std::string::npos ? "" : error.substr(end + kMarkSize), "");
}

/// CoerceEmbedded, with numbers in the error as the server prints them. With an error `value` is
/// what it was up to there.
std::optional<std::string> Coerce(json::Value& value, const StructuralSchema& structural,
                                  bool is_resource, json::Arena& arena) {
  json::Value stored = json::DeepCopy(value, arena);
  if (json::StoreNumbers(stored, arena)) stored = json::DeepCopy(value, arena);
  auto error = CoerceEmbedded(value, structural, false, arena, nullptr, is_resource);
  auto stored_error = CoerceEmbedded(stored, structural, false, arena, nullptr, is_resource);
  return stored_error ? stored_error : error;
}

class DefaultValidator {
 public:
  DefaultValidator(const DefaultChecks& checks, PatternChecks& patterns)
      : checks_(checks), patterns_(patterns) {}

  void Walk(const SchemaProps& schema, const StructuralSchema& structural, const std::string& path,
            Context context) {
    if (budget_ < 0) return;
    if (structural.embedded_resource || context.resource == nullptr) {
      context = {nullptr, &structural, false};
    }
    const bool is_resource = context.resource == &structural;
    if (schema.default_value) {
      ValidateOne(schema, structural, meta::Child(path, "default"), context, is_resource);
    }
    if (!structural.may_have_defaults_below) return;
    if (const SchemaProps* items = schema.ItemsSchema()) {
      const Step step{context.step, std::nullopt};
      Walk(*items, *structural.items, meta::Child(path, "items"),
           {&step, context.resource, context.is_in_meta});
    }
    WalkProperties(schema, structural, meta::Child(path, "properties"), context, is_resource);
  }

  std::vector<meta::FieldError> TakeErrors() { return std::move(errors_); }

 private:
  void WalkProperties(const SchemaProps& schema, const StructuralSchema& structural,
                      const std::string& path, const Context& context, bool is_resource) {
    for (const auto& [name, property] : schema.properties) {
      const Step step{context.step, name};
      Walk(property, *structural.FindProperty(name), meta::Key(path, name),
           {&step, context.resource,
            context.is_in_meta || (is_resource && meta::IsTypeMetaOrMetadata(name))});
    }
  }

  void ValidateOne(const SchemaProps& schema, const StructuralSchema& structural,
                   const std::string& path, const Context& context, bool is_resource) {
    json::Arena arena;
    json::Value value = json::DeepCopy(*schema.default_value, arena);
    const bool is_valid_resource =
        context.is_in_meta ? ValidateInMeta(value, path, context, arena)
                           : ValidateOutside(value, structural, path, is_resource, arena);
    if (!is_valid_resource) return;
    std::vector<meta::FieldError> errors =
        ValidateValue(value, schema, path, patterns_, ValidationKind::kDefault);
    if (errors.empty() && !(checks_.server < kFirstRuleRelease)) {
      errors = CheckRules(value, schema, path, is_resource);
    }
    meta::Append(errors_, std::move(errors));
  }

  /// What the rules say of a default that stays as it is, and, where they take that, of one that is
  /// new. All defaults share one budget; once it is used up, none is looked at any more.
  std::vector<meta::FieldError> CheckRules(const json::Value& value, const SchemaProps& schema,
                                           const std::string& path, bool is_resource) {
    const auto validator = RuleValidator::Make(schema, is_resource, checks_.server);
    if (validator == nullptr) return {};
    RuleOutcome outcome = validator->Validate(value, path, {.old = &value}, budget_);
    std::int64_t left = outcome.budget_left;
    if (outcome.errors.empty()) {
      outcome = validator->Validate(value, path, {}, budget_);
      left = std::min(left, outcome.budget_left);
    }
    budget_ = left;
    return std::move(outcome.errors);
  }

  /// A default in metadata counts as part of a whole resource.
  bool ValidateInMeta(const json::Value& value, const std::string& path, const Context& context,
                      json::Arena& arena) {
    json::Value resource = Surround(json::DeepCopy(value, arena), context.step, arena);
    std::string problem;
    if (const auto error = Coerce(resource, *context.resource, true, arena)) {
      problem = *error;
    } else {
      std::vector<std::string> problems;
      for (const meta::FieldError& found :
           ValidateEmbeddedResources(resource, *context.resource, "", true)) {
        problems.push_back(found.ToString());
      }
      problem = meta::Aggregate(problems);
    }
    if (problem.empty()) return true;
    errors_.push_back(meta::Invalid(path, meta::PrintBadValue(value),
                                    "must result in valid metadata: " + problem));
    return false;
  }

  static json::Value Surround(json::Value value, const Step* step, json::Arena& arena) {
    for (; step != nullptr; step = step->parent) {
      json::Value outer = step->key ? json::Value::Object() : json::Value::Array();
      if (step->key) {
        outer.Set(*step->key, value, arena);
      } else {
        outer.Append(value, arena);
      }
      value = outer;
    }
    if (!value.Find("kind")) value.Set("kind", json::Value::String("Validation"), arena);
    if (!value.Find("apiVersion")) {
      value.Set("apiVersion", json::Value::String("validation/v1"), arena);
    }
    return value;
  }

  bool ValidateOutside(json::Value& value, const StructuralSchema& structural,
                       const std::string& path, bool is_resource, json::Arena& arena) {
    const bool has_unknown_fields =
        checks_.require_pruned && ChangesWhenPruned(value, structural, is_resource);
    // Unknown fields of embedded metadata vanish here without an error. The server words its errors
    // only at the end, so that they show the value without them, too.
    const auto error = Coerce(value, structural, is_resource, arena);
    if (has_unknown_fields) {
      errors_.push_back(
          meta::Invalid(path, meta::PrintBadValue(value), "must not have unknown fields"));
    }
    if (error) {
      errors_.push_back(AtPath(path, *error));
      return false;
    }
    std::vector<meta::FieldError> errors =
        ValidateEmbeddedResources(value, structural, path, is_resource);
    const bool is_valid = errors.empty();
    meta::Append(errors_, std::move(errors));
    return is_valid;
  }

  static bool ChangesWhenPruned(const json::Value& value, const StructuralSchema& structural,
                                bool is_resource) {
    json::Arena arena;
    json::Value pruned = json::DeepCopy(value, arena);
    DropUnknownFields(pruned, &structural, is_resource);
    return !json::Equal(pruned, value);
  }

  const DefaultChecks checks_;
  PatternChecks& patterns_;
  std::int64_t budget_ = kRuleBudget;
  std::vector<meta::FieldError> errors_;
};

bool SameDefaults(const StructuralSchema& a, const StructuralSchema& b) {
  const bool both = a.default_value && b.default_value;
  if (both ? !json::Equal(*a.default_value, *b.default_value)
           : a.default_value.has_value() != b.default_value.has_value()) {
    return false;
  }
  if (a.items && !SameDefaults(*a.items, *b.items)) return false;
  if (a.additional_schema && !SameDefaults(*a.additional_schema, *b.additional_schema))
    return false;
  for (std::size_t i = 0; i < a.properties.size(); ++i) {
    if (!SameDefaults(a.properties[i].schema, b.properties[i].schema)) return false;
  }
  return true;
}

}  // namespace

std::vector<meta::FieldError> ValidateDefaults(const SchemaProps& schema, std::string_view path,
                                               const DefaultChecks& checks,
                                               PatternChecks& patterns) {
  json::Arena arena;
  StructuralSchema structural = MakeStructural(schema, arena);
  MarkSubtrees(structural);
  DefaultValidator validator(checks, patterns);
  validator.Walk(schema, structural, std::string(path), {});
  return validator.TakeErrors();
}

bool HasUnprunedDefaults(const SchemaProps& schema) {
  json::Arena arena;
  const StructuralSchema written = MakeStructural(schema, arena);
  StructuralSchema pruned = MakeStructural(schema, arena);
  if (PruneDefaults(pruned, arena)) return false;
  return !SameDefaults(written, pruned);
}

}  // namespace kube::schema
