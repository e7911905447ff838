#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/json/json.h"
#include "kube/schema/property_index.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// What pruning, defaulting and coercion look at in a schema: the nodes that are reached from the
/// root by properties, items and additionalProperties alone. Value validations specify nothing.
///
/// Owns its names; default values are copies in the memory that MakeStructural was given.
struct StructuralSchema {
  struct Property;

  /// additionalProperties: absent; present without a schema (true or false, which prune alike); or
  /// with `additional_schema`.
  bool has_additional_properties = false;
  /// x-kubernetes-preserve-unknown-fields: true. Without it the node prunes, unless an array above
  /// preserves.
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;
  bool nullable = false;
  std::optional<json::Value> default_value;
  std::unique_ptr<StructuralSchema> items;
  std::unique_ptr<StructuralSchema> additional_schema;
  std::vector<Property> properties;  ///< sorted by name, bytewise

  /// Whether walks for defaults or embedded resources have something to find: set by MarkSubtrees
  /// below, true ("perhaps") before.
  bool may_have_defaults_below = true;  ///< in properties, items or additionalProperties
  bool may_have_embedded = true;        ///< this node or one below is an embedded resource

  /// Finds properties faster; set by MakeStructural. Empty: FindProperty searches.
  PropertyIndex property_index;

  /// The schema of property `name`; null pointer where it is not specified.
  const StructuralSchema* FindProperty(std::string_view name) const {
    std::size_t likely = 0;
    return FindProperty(name, likely);
  }
  /// The same, sooner where it is property number `likely`, as where keys stand in order. To
  /// begin with, `likely` is 0; afterwards it is for the next key of the same object.
  const StructuralSchema* FindProperty(std::string_view name, std::size_t& likely) const;

 private:
  const StructuralSchema* SearchProperty(std::string_view name) const;
};

struct StructuralSchema::Property {
  std::string name;
  StructuralSchema schema;
};

// Here, as it is called for every field of every object.
inline const StructuralSchema* StructuralSchema::FindProperty(std::string_view name,
                                                              std::size_t& likely) const {
  if (properties.empty()) return nullptr;
  if (property_index.empty()) return SearchProperty(name);
  const auto number = property_index.Find(name, likely, [this, name](std::size_t i) {
    return base::SameText(properties[i].name, name);
  });
  return number ? &properties[*number].schema : nullptr;
}

/// Why a schema cannot be structural whatever its rules say: the text of NewStructural
/// (apiextensions pkg/apiserver/schema/convert.go), e.g. "OpenAPIV3Schema '$ref' is not supported".
/// Absent if it can. Where several siblings fail the server's pick is random; this one takes the
/// first by name.
std::optional<std::string> ConversionError(const SchemaProps& schema);

/// The structural part of a schema without a ConversionError. Default values are copied to `arena`,
/// which must outlive the result, with their numbers as the server stores them.
StructuralSchema MakeStructural(const SchemaProps& schema, json::Arena& arena);

/// Sets may_have_defaults_below and may_have_embedded of `schema` and of every node below it, so
/// that defaulting and coercion skip the subtrees in which they have nothing to do. To be called
/// again when defaults changed.
void MarkSubtrees(StructuralSchema& schema);

}  // namespace kube::schema
