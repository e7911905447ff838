#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"

namespace kube::meta {
class TypedReader;
}

namespace kube::schema {

struct SchemaProps;

/// A Go slice or map: nil where it was not written (or as null), else maybe empty. Both iterate
/// alike.
template <typename T>
struct GoList : std::vector<T> {
  bool is_nil = true;
};

template <typename T>
using SortedMap = GoList<std::pair<std::string_view, T>>;  ///< by key, bytewise, each once

/// A schema, or whether anything is allowed at all (additionalProperties, additionalItems).
struct SchemaPropsOrBool {
  bool allows = true;  ///< what a bare boolean said; true beside a schema
  std::unique_ptr<SchemaProps> schema;
};

/// A schema, or the array form (items).
struct SchemaPropsOrArray {
  std::unique_ptr<SchemaProps> schema;
  GoList<SchemaProps> schemas;
};

/// A schema or a list of property names (dependencies).
struct SchemaPropsOrStrings {
  std::unique_ptr<SchemaProps> schema;
  std::optional<std::vector<std::string_view>> strings;
};

struct ExternalDocs {
  std::string_view description;
  std::string_view url;

  bool operator==(const ExternalDocs&) const = default;
};

/// A rule of x-kubernetes-validations.
struct ValidationRule {
  std::string_view rule;
  std::string_view message;
  std::string_view message_expression;
  std::optional<std::string_view> reason;
  std::string_view field_path;
  std::optional<bool> optional_old_self;

  bool operator==(const ValidationRule&) const = default;
};

/// openAPIV3Schema as written: apiextensions.JSONSchemaProps, what the structural rules and CRD
/// validation are checked against. Pruning uses the smaller StructuralSchema (structural.h).
///
/// Strings and values borrow from the JSON it was read from, which must outlive it. Fields are in
/// the order of the Go type, which the server prints in its messages. An empty optional is Go's
/// nil; a present, empty list is a list that was written as [].
struct SchemaProps {
  // Defined where lists of SchemaProps are complete types.
  SchemaProps();
  SchemaProps(SchemaProps&&) noexcept;
  SchemaProps& operator=(SchemaProps&&) noexcept;
  ~SchemaProps();

  std::string_view id;
  std::string_view schema;  ///< $schema
  std::optional<std::string_view> ref;
  std::string_view description;
  std::string_view type;
  bool nullable = false;
  std::string_view format;
  std::string_view title;
  std::optional<json::Value> default_value;  ///< absent for null too
  std::optional<double> maximum;
  bool exclusive_maximum = false;
  std::optional<double> minimum;
  bool exclusive_minimum = false;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> min_length;
  std::string_view pattern;
  std::optional<std::int64_t> max_items;
  std::optional<std::int64_t> min_items;
  bool unique_items = false;
  std::optional<double> multiple_of;
  std::optional<std::vector<json::Value>> enum_values;
  std::optional<std::int64_t> max_properties;
  std::optional<std::int64_t> min_properties;
  std::optional<std::vector<std::string_view>> required;
  std::unique_ptr<SchemaPropsOrArray> items;
  GoList<SchemaProps> all_of;
  GoList<SchemaProps> one_of;
  GoList<SchemaProps> any_of;
  std::unique_ptr<SchemaProps> not_schema;
  SortedMap<SchemaProps> properties;
  std::unique_ptr<SchemaPropsOrBool> additional_properties;
  SortedMap<SchemaProps> pattern_properties;
  SortedMap<SchemaPropsOrStrings> dependencies;
  std::unique_ptr<SchemaPropsOrBool> additional_items;
  SortedMap<SchemaProps> definitions;
  std::optional<ExternalDocs> external_docs;
  std::optional<json::Value> example;
  /// x-kubernetes-preserve-unknown-fields; false is not allowed, absent means "as the parent says".
  std::optional<bool> x_preserve_unknown_fields;
  bool x_embedded_resource = false;
  bool x_int_or_string = false;
  std::optional<std::vector<std::string_view>> x_list_map_keys;
  std::optional<std::string_view> x_list_type;
  std::optional<std::string_view> x_map_type;
  std::optional<std::vector<ValidationRule>> x_validations;

  /// The schema of property `name`; null pointer where there is none.
  const SchemaProps* FindProperty(std::string_view name) const;
  /// items, where it is one schema; null pointer where absent or the array form.
  const SchemaProps* ItemsSchema() const;
  /// True where x-kubernetes-validations has rules.
  bool HasRules() const { return x_validations && !x_validations->empty(); }
  /// Whether x-kubernetes-preserve-unknown-fields is true.
  bool Preserves() const { return x_preserve_unknown_fields.value_or(false); }
  /// True for maps whose entries expressions know again after an update: x-kubernetes-map-type is
  /// one of those that there are, or absent (MapIsCorrelatable).
  bool HasKnownMapType() const {
    return !x_map_type || *x_map_type == "granular" || *x_map_type == "atomic";
  }
  /// additionalProperties, where they have a schema; null pointer where they have none.
  const SchemaProps* ValuesSchema() const;
};

/// The deepest nesting of schemas in schemas that is read. The API server has no limit of its own;
/// real schemas have less than 50 levels, and what walks a schema may recurse.
inline constexpr std::size_t kMaxSchemaDepth = 1000;

/// Reads a v1 (or v1beta1) JSONSchemaProps. Unknown keywords are ignored, keys are case-sensitive,
/// null is absent; `items: true` is no items. The error is a typed one of encoding/json, e.g.
/// "json: cannot unmarshal array into Go struct field JSONSchemaProps.properties.type of type
/// string".
base::Result<SchemaProps, std::string> ReadSchemaProps(const json::Value& value);
/// The same as part of a bigger document: errors go to `reader`, with the path there.
void ReadSchemaProps(meta::TypedReader& reader, const json::Value& value, SchemaProps& schema);

/// True if apimachinery's Semantic.DeepEqual finds both equal: nil and empty lists are the same.
bool DeepEqual(const SchemaProps& a, const SchemaProps& b);

/// The schema as encoding/json prints the internal Go type: all fields, named as in Go. This is how
/// the server quotes a schema as a bad value.
std::string PrintGo(const SchemaProps& schema);
/// The same of one rule.
std::string PrintGo(const ValidationRule& rule);

/// Calls `visit` with each schema directly in `schema`, wherever it is.
template <typename Visit>
void ForEachSubschema(const SchemaProps& schema, Visit visit) {
  const auto visit_pointer = [&visit](const SchemaProps* child) {
    if (child) visit(*child);
  };
  if (schema.items) {
    visit_pointer(schema.items->schema.get());
    for (const SchemaProps& child : schema.items->schemas) visit(child);
  }
  for (const auto* list : {&schema.all_of, &schema.any_of, &schema.one_of}) {
    for (const SchemaProps& child : *list) visit(child);
  }
  visit_pointer(schema.not_schema.get());
  for (const auto* map : {&schema.properties, &schema.pattern_properties, &schema.definitions}) {
    for (const auto& [name, child] : *map) visit(child);
  }
  if (schema.additional_properties) visit_pointer(schema.additional_properties->schema.get());
  if (schema.additional_items) visit_pointer(schema.additional_items->schema.get());
  for (const auto& [name, dependency] : schema.dependencies) {
    visit_pointer(dependency.schema.get());
  }
}

/// True if `predicate` holds for `schema` or some schema in it.
template <typename Predicate>
bool AnySchema(const SchemaProps& schema, const Predicate& predicate) {
  if (predicate(schema)) return true;
  bool found = false;
  ForEachSubschema(schema,
                   [&](const SchemaProps& child) { found = found || AnySchema(child, predicate); });
  return found;
}

}  // namespace kube::schema
