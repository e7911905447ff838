#pragma once

#include <optional>

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

}  // namespace kube::crd
