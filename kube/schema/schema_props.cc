#include "kube/schema/schema_props.h"

#include <algorithm>

#include "kube/go/go_value.h"

namespace kube::schema {
namespace {

/// Compares as reflect.DeepEqual would but for nil and empty lists, which are equal
/// (apimachinery third_party/forked/golang/reflect).
class Comparer {
 public:
  bool Equal(const SchemaProps& a, const SchemaProps& b) const {
    return EqualTexts(a, b) && EqualLimits(a, b) && EqualExtensions(a, b) && EqualJson(a, b) &&
           EqualSchemas(a, b);
  }

 private:
  static bool EqualTexts(const SchemaProps& a, const SchemaProps& b) {
    return a.type == b.type && a.description == b.description && a.id == b.id &&
           a.schema == b.schema && a.ref == b.ref && a.nullable == b.nullable &&
           a.format == b.format && a.title == b.title && a.pattern == b.pattern &&
           a.external_docs == b.external_docs && Equal(a.required, b.required);
  }

  static bool EqualLimits(const SchemaProps& a, const SchemaProps& b) {
    return a.maximum == b.maximum && a.exclusive_maximum == b.exclusive_maximum &&
           a.minimum == b.minimum && a.exclusive_minimum == b.exclusive_minimum &&
           a.max_length == b.max_length && a.min_length == b.min_length &&
           a.max_items == b.max_items && a.min_items == b.min_items &&
           a.unique_items == b.unique_items && a.multiple_of == b.multiple_of &&
           a.max_properties == b.max_properties && a.min_properties == b.min_properties;
  }

  static bool EqualExtensions(const SchemaProps& a, const SchemaProps& b) {
    return a.x_preserve_unknown_fields == b.x_preserve_unknown_fields &&
           a.x_embedded_resource == b.x_embedded_resource &&
           a.x_int_or_string == b.x_int_or_string && a.x_list_type == b.x_list_type &&
           a.x_map_type == b.x_map_type && Equal(a.x_list_map_keys, b.x_list_map_keys) &&
           Equal(a.x_validations, b.x_validations);
  }

  bool EqualJson(const SchemaProps& a, const SchemaProps& b) const {
    return Equal(a.default_value, b.default_value) && Equal(a.example, b.example) &&
           EqualEnums(a.enum_values, b.enum_values);
  }

  bool EqualSchemas(const SchemaProps& a, const SchemaProps& b) const {
    return Equal(a.properties, b.properties) && Equal(a.items, b.items) &&
           Equal(a.additional_properties, b.additional_properties) && Equal(a.all_of, b.all_of) &&
           Equal(a.any_of, b.any_of) && Equal(a.one_of, b.one_of) &&
           Equal(a.not_schema, b.not_schema) && Equal(a.pattern_properties, b.pattern_properties) &&
           Equal(a.definitions, b.definitions) && Equal(a.dependencies, b.dependencies) &&
           Equal(a.additional_items, b.additional_items);
  }

  template <typename T>
  static bool Equal(const std::optional<std::vector<T>>& a,
                    const std::optional<std::vector<T>>& b) {
    if (!a || !b) return (!a || a->empty()) && (!b || b->empty());
    return *a == *b;
  }

  bool Equal(const json::Value& a, const json::Value& b) const {
    // Not json::Equal: 1 and 1.0 are different types in Go.
    return go::GoDeepEqual(a, b);
  }

  bool Equal(const std::optional<json::Value>& a, const std::optional<json::Value>& b) const {
    return a.has_value() == b.has_value() && (!a || Equal(*a, *b));
  }

  bool EqualEnums(const std::optional<std::vector<json::Value>>& a,
                  const std::optional<std::vector<json::Value>>& b) const {
    if (!a || !b) return (!a || a->empty()) && (!b || b->empty());
    return std::ranges::equal(
        *a, *b, [this](const json::Value& x, const json::Value& y) { return Equal(x, y); });
  }

  template <typename T>
  bool Equal(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) const {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || Equal(*a, *b));
  }

  template <typename T>
  bool Equal(const GoList<T>& a, const GoList<T>& b) const {
    return std::ranges::equal(a, b, [this](const T& x, const T& y) { return Equal(x, y); });
  }

  template <typename T>
  bool Equal(const std::pair<std::string_view, T>& a,
             const std::pair<std::string_view, T>& b) const {
    return a.first == b.first && Equal(a.second, b.second);
  }

  bool Equal(const SchemaPropsOrBool& a, const SchemaPropsOrBool& b) const {
    return a.allows == b.allows && Equal(a.schema, b.schema);
  }

  bool Equal(const SchemaPropsOrArray& a, const SchemaPropsOrArray& b) const {
    return Equal(a.schema, b.schema) && Equal(a.schemas, b.schemas);
  }

  bool Equal(const SchemaPropsOrStrings& a, const SchemaPropsOrStrings& b) const {
    return Equal(a.schema, b.schema) && Equal(a.strings, b.strings);
  }
};

}  // namespace

SchemaProps::SchemaProps() = default;
SchemaProps::SchemaProps(SchemaProps&&) noexcept = default;
SchemaProps& SchemaProps::operator=(SchemaProps&&) noexcept = default;
SchemaProps::~SchemaProps() = default;

const SchemaProps* SchemaProps::FindProperty(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {},
                                              [](const auto& property) { return property.first; });
  return found != properties.end() && found->first == name ? &found->second : nullptr;
}

const SchemaProps* SchemaProps::ValuesSchema() const {
  return additional_properties ? additional_properties->schema.get() : nullptr;
}

const SchemaProps* SchemaProps::ItemsSchema() const {
  return items != nullptr ? items->schema.get() : nullptr;
}

bool DeepEqual(const SchemaProps& a, const SchemaProps& b) { return Comparer().Equal(a, b); }

}  // namespace kube::schema
