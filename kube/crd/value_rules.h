#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "kube/crd/change.h"
#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
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
  explicit PartRules(const schema::SchemaProps& schema);

  /// Whether the API server finds nothing wrong with `value`, be it duplicates in lists.
  bool AreKept(const json::Value& value, schema::PatternChecks& patterns) const;

 private:
  const schema::SchemaProps& schema_;
  json::Arena arena_;
  std::optional<schema::StructuralSchema> resources_;  // where there are embedded ones
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
