#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/rule_types.h"
#include "kube/schema/rules.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// What all rules of a schema may cost for one object.
inline constexpr std::int64_t kRuleBudget = 10000000;

/// What the rules of a schema say of a value.
struct RuleOutcome {
  std::vector<meta::FieldError> errors;
  /// What a server that ratchets only warns of, as the value did not change.
  std::vector<meta::FieldError> warnings;
  std::int64_t budget_left = kRuleBudget;  ///< negative: rules were left out
};

/// An update, as rules see it.
struct RuleUpdate {
  const json::Value* old = nullptr;  ///< null: the value is new
  bool ratchets = false;             ///< what fails and did not change is a warning
};

/// The rules of x-kubernetes-validations of a schema, compiled once, held against any number of
/// values: Validator of apiextensions pkg/apiserver/schema/cel/validation.go. The schema must
/// outlive it. Immutable: several threads may validate at once.
class RuleValidator {
 public:
  /// Null where no rule stands in `schema`, which is structural, or in what properties, items and
  /// additionalProperties lead to: the server then evaluates none below allOf either.
  /// `is_resource`: values are custom or embedded resources. `server`: its release.
  static std::unique_ptr<RuleValidator> Make(const SchemaProps& schema, bool is_resource,
                                             base::Release server = base::kNewestRelease);
  /// The same of `rules` alone, as if they stood in `schema` in the place of its own; what stands
  /// in its parts does not count. Null where there are none. They must outlive it, too.
  static std::unique_ptr<RuleValidator> MakeOf(const std::vector<ValidationRule>& rules,
                                               const SchemaProps& schema, bool is_resource,
                                               base::Release server = base::kNewestRelease);
  ~RuleValidator();

  /// True where a rule for the value itself compares it with what it was.
  bool HasTransitionRules() const;

  /// What the rules say, in their order, depth first. `path` may be empty.
  RuleOutcome Validate(const json::Value& value, std::string_view path,
                       const RuleUpdate& update = {}, std::int64_t budget = kRuleBudget) const;

 private:
  struct Node;
  class Maker;
  class Run;

  RuleValidator(const SchemaProps& schema, bool is_resource);

  RuleTypes types_;
  std::unique_ptr<Node> root_;
};

}  // namespace kube::schema
