#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/schema/schema_props.h"

namespace kube::crd {

/// One step from an object to the values of a schema in it.
struct ValueStep {
  enum class Kind : std::uint8_t {
    kField,   ///< a property
    kValues,  ///< all values of a map
    kItems,   ///< all elements of a list
  };

  Kind kind = Kind::kField;
  std::string name{};  ///< of a property
};

/// The path of the values, folded: "spec.ports[*]".
std::string FieldPathOf(const std::vector<ValueStep>& steps);

/// A rule of x-kubernetes-validations, and of which values it is asked. Borrows from the schema.
struct RulePlace {
  const schema::ValidationRule* rule = nullptr;
  const schema::SchemaProps* schema = nullptr;  ///< by which the values are read
  std::size_t index = 0;                        ///< among the rules at its place
  /// As the server's errors name it, below spec.validation or spec.versions[0].schema:
  /// "openAPIV3Schema.properties[spec].x-kubernetes-validations[0]".
  std::string schema_path;
  std::string field_path;         ///< of the values: "spec.ports[*]"; empty: the whole object
  std::vector<ValueStep> steps;   ///< to the values
  std::uint64_t most_values = 1;  ///< in one object, by its schema
  bool is_in_all_of = false;

  /// What names it best: ".spec.ports[*][0]", or the schema path where that says more.
  std::string Name() const;
};

/// All rules of a schema that a server asks, in its order: those that properties, items,
/// additionalProperties and allOf lead to. `schema` must outlive the result.
std::vector<RulePlace> FindRules(const schema::SchemaProps& schema);

/// The number N of a path that begins with spec.versions[N], as the server's errors name a rule.
std::optional<std::size_t> VersionIndexOf(std::string_view rule_path);

/// Those of `rules` that `rule_path` names: as the server's errors do, with or without what stands
/// before openAPIV3Schema and behind the rule; or by the field, `.spec`, and the index of the rule
/// there, `.spec[0]`; without an index all rules at the place. The error says that there is none,
/// and which there are.
base::Result<std::vector<RulePlace>, std::string> ChooseRules(std::vector<RulePlace> rules,
                                                              std::string_view rule_path);

}  // namespace kube::crd
