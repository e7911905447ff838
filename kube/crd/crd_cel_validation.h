#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/field_error.h"
#include "kube/schema/rule_types.h"
#include "kube/schema/rules.h"
#include "kube/schema/schema_props.h"

/// What the server says to the expressions of x-kubernetes-validations of a CRD: whether they
/// compile, and what they may cost (apiextensions pkg/apis/apiextensions/validation,
/// cel_validation.go and validation.go).
namespace kube::crd {

/// The expressions that a CRD has already. They are compiled as what is stored is, so that a server
/// of an older release takes them again.
struct KnownExpressions {
  std::set<std::string_view> rules;
  std::set<std::string_view> messages;
};

/// How the rules of one schema are checked.
struct CelChecks {
  base::Release server;
  const KnownExpressions& known;
  /// The schema is the one that the CRD has: single rules may cost what they do.
  bool is_unchanged = false;
};

/// The most that a rule may cost by its estimate, over all values that it is asked for in one
/// object.
inline constexpr std::uint64_t kMostRuleCost = 10000000;

/// What is known of rules at a schema on the way down from the root.
class RuleContext {
 public:
  /// At the root. `schema` must outlive it.
  explicit RuleContext(const schema::SchemaProps& schema);
  /// Below `parent`, which must outlive it.
  RuleContext(const RuleContext& parent, const schema::SchemaProps& schema);

  /// Of values of this schema; null where there is none.
  const cel::SchemaType* type() const { return type_; }
  /// How many values of it one object may have; absent: as many as a request can hold.
  std::optional<std::uint64_t> cardinality() const { return cardinality_; }
  /// The same; of what has no limit, as many as a request of the largest size can hold.
  std::uint64_t most_values() const;

 private:
  void FindType(const schema::SchemaProps& schema, bool is_resource);

  const schema::SchemaProps& schema_;
  const schema::RuleTypes* types_ = nullptr;  ///< of the highest schema with rules on the way
  std::unique_ptr<schema::RuleTypes> own_types_;
  const cel::SchemaType* type_ = nullptr;
  bool is_in_scope_ = false;  ///< rules are here or above
  std::optional<std::uint64_t> cardinality_;
};

/// Checks the rules of the schemas of one version, one schema after the other, and adds up what
/// they cost.
class CelValidator {
 public:
  explicit CelValidator(const CelChecks& checks) : checks_(checks) {}

  /// Checks the rules of `schema`, which stands at `path`. `uncorrelatable`: the path of the list
  /// or map above it whose elements nobody can tell apart; empty: none.
  void Check(const schema::SchemaProps& schema, const std::string& path, const RuleContext& context,
             std::string_view uncorrelatable);
  /// All that was found, with what the whole costs too much. `path` is that of the schema's root.
  std::vector<meta::FieldError> TakeErrors(const std::string& path);

 private:
  struct Expensive {
    std::string path;
    std::uint64_t cost;
  };

  void CheckCost(const std::string& path, std::string_view what, std::uint64_t cost);
  void CheckRule(const schema::ValidationRule& rule, const schema::CompiledRule& compiled,
                 const std::string& path, std::uint64_t cost);
  void CheckOldSelf(const schema::ValidationRule& rule, const schema::CompiledRule& compiled,
                    const std::string& path, std::string_view uncorrelatable);

  const CelChecks checks_;
  std::vector<meta::FieldError> errors_;
  std::vector<Expensive> most_expensive_;
  std::uint64_t total_ = 0;
};

}  // namespace kube::crd
