#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"
#include "migrate/check/version_validity.h"

namespace migrate::check {

/// What the values of a CRD's objects have to be by its schemas, on one server. Immutable, for
/// several threads.
class ObjectSchemas {
 public:
  /// `crd` is not needed afterwards. Of `only_version` alone something is known; empty: of all.
  /// Throws kube::base::Error where it cannot be copied, as it never should be.
  ObjectSchemas(const kube::crd::Crd& crd, ServerRules server, std::string_view only_version = {});

  /// Why the API server, had it this CRD, would refuse to write `object` in `version` in the place
  /// of `old` (the null pointer: to create it), in its words, sorted. Empty: it would take it, or
  /// nobody can tell (kube::schema::CheckUpdate, CheckCreate). Both are pruned first, where the CRD
  /// has pruning on.
  std::vector<std::string> Errors(const kube::json::Value& object, const kube::json::Value* old,
                                  std::string_view version) const;
  /// The same as FirstErrors() has it, of one of many objects, for which `patterns` stay compiled.
  /// For one thread at a time, as these are.
  std::string Refusal(const kube::json::Value& object, const kube::json::Value* old,
                      std::string_view version, kube::schema::PatternChecks& patterns) const;

 private:
  std::vector<std::string> Errors(const kube::json::Value& object, const kube::json::Value* old,
                                  std::string_view version,
                                  kube::schema::PatternChecks& patterns) const;

  struct Version {
    std::string name;
    std::shared_ptr<const kube::schema::SchemaProps> props;
    kube::schema::StructuralSchema structural;
    std::unique_ptr<const kube::schema::RuleValidator> rules;  // or the null pointer
  };
  kube::crd::Crd crd_;
  ServerRules server_;
  kube::json::Arena arena_;        // of:
  std::vector<Version> versions_;  // whose schemas are structural
};

}  // namespace migrate::check
