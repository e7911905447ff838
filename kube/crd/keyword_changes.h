#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/change.h"
#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

namespace kube::crd {

/// What differs of one field; as in Change.
struct KeywordChange {
  ChangeKind kind{};
  std::string from{}, to{};
  bool breaking = false;
  bool brings_transition_rules = false;
};

/// What `live` and `proposed` ask of the value itself in different ways; what is in it (properties,
/// items, additionalProperties, required) is not looked at. Where no value can be right for both
/// that is the only change but for nullable.
std::vector<KeywordChange> CompareKeywords(const schema::SchemaProps& live,
                                           const schema::SchemaProps& proposed);

/// The rules of x-kubernetes-validations of `schema` that `other` does not have; their messages and
/// reasons may differ. In order.
std::vector<schema::ValidationRule> RulesBeside(const schema::SchemaProps& schema,
                                                const schema::SchemaProps& other);

/// False where no value but null has a type that both take.
bool ShareTypes(const schema::SchemaProps& live, const schema::SchemaProps& proposed);

/// "string", "int-or-string"; "any" where there is no type.
std::string TypeText(const schema::SchemaProps& schema);
/// The value as JSON, shortened.
std::string ValueText(const json::Value& value);
/// The beginning of a text for people.
std::string ShortText(std::string_view text);

}  // namespace kube::crd
