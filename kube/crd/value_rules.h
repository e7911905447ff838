#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/base/release.h"
#include "kube/crd/change.h"
#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace kube::crd {

/// Whether `value` is right by what of `schema` a change of `kind` is about, as the API server
/// finds; a bound, a length or a format is about values of the right type. Only for kinds that ask
/// something of the value itself. True where `patterns` cannot tell.
bool Satisfies(const json::Value& value, const schema::SchemaProps& schema, ChangeKind kind,
               schema::PatternChecks& patterns);

/// Whether `value` has a type that `schema` takes.
bool HasType(const json::Value& value, const schema::SchemaProps& schema,
             schema::PatternChecks& patterns);

/// All that a schema asks of a part of an object. Borrows from the schema.
class PartRules {
 public:
  /// `server`: its release.
  PartRules(const schema::SchemaProps& schema, base::Release server);

  /// Whether the API server finds nothing wrong with `value`, be it duplicates in lists or a broken
  /// rule.
  bool AreKept(const json::Value& value, schema::PatternChecks& patterns) const;

 private:
  const schema::SchemaProps& schema_;
  json::Arena arena_;
  std::optional<schema::StructuralSchema> resources_;   // where there are embedded ones
  std::unique_ptr<const schema::RuleValidator> rules_;  // or the null pointer
};

/// The rules of x-kubernetes-validations that one schema has at a value and another does not.
/// Borrows from the schemas.
class ChangedRules {
 public:
  /// `server`: its release; by one that has no rules nothing changes.
  ChangedRules(const schema::SchemaProps& live, const schema::SchemaProps& proposed,
               bool is_resource, base::Release server);

  /// Whether the server, to a write that changes nothing, says another thing from now on: it
  /// refuses `then` by what comes, or has refused `now` by what goes, but not both.
  bool ChangeAnswer(const json::Value& now, const json::Value& then,
                    schema::PatternChecks& patterns) const;

  /// As Change has it.
  bool bring_transitions() const {
    return coming_.validator != nullptr && coming_.validator->HasTransitionRules();
  }

 private:
  /// Of one of the schemas.
  struct Side {
    const schema::SchemaProps* schema;
    std::vector<schema::ValidationRule> rules;
    std::unique_ptr<const schema::RuleValidator> validator{};  ///< or the null pointer

    bool Refuses(const json::Value& value, schema::PatternChecks& patterns) const;
  };

  Side going_, coming_;
};

/// Whether all that is in `value` is in `other` too, with the same values: pruning, and the nulls
/// that a server drops, take something away, defaults do not.
bool IsContained(const json::Value& value, const json::Value& other);

/// The members of an object by name, for about so many look-ups: a table where a search for each
/// would take long. Borrows from the object; a value that is none has no members.
class Members {
 public:
  Members(const json::Value& object, std::size_t look_ups) : object_(object) {
    constexpr std::size_t kFewSteps = 4096;
    if (object.size() * look_ups <= kFewSteps) return;
    for (const json::Member& member : object.members()) {
      table_.emplace(member.key.text(), &member.value);
    }
  }

  /// The null pointer where there is none.
  const json::Value* Find(std::string_view name) const {
    if (table_.empty()) return object_.Find(name);
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : found->second;
  }

 private:
  const json::Value& object_;
  std::unordered_map<std::string_view, const json::Value*> table_;
};

}  // namespace kube::crd
