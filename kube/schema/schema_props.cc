#include "kube/schema/schema_props.h"

#include <algorithm>

#include "kube/go/go_format.h"
#include "kube/go/go_value.h"
#include "kube/schema/keywords.h"

namespace kube::schema {
namespace {

/// Compares as reflect.DeepEqual would but for nil and empty lists, which are equal
/// (apimachinery third_party/forked/golang/reflect).
class Comparer {
 public:
  bool Equal(const SchemaProps& a, const SchemaProps& b) const {
    return !AnyKeyword(a, [&](const auto& keyword, const auto& value) {
      return !Equal(value, b.*keyword.member);
    });
  }

 private:
  template <typename T>
  bool Equal(const T& a, const T& b) const {
    return a == b;
  }

  template <typename T>
  bool Equal(const std::optional<std::vector<T>>& a, const std::optional<std::vector<T>>& b) const {
    if (!a || !b) return IsEmpty(a) && IsEmpty(b);
    return std::ranges::equal(*a, *b, [this](const T& x, const T& y) { return Equal(x, y); });
  }

  bool Equal(const json::Value& a, const json::Value& b) const {
    // Not json::Equal: 1 and 1.0 are different types in Go.
    return go::GoDeepEqual(a, b);
  }

  bool Equal(const std::optional<json::Value>& a, const std::optional<json::Value>& b) const {
    return a.has_value() == b.has_value() && (!a || Equal(*a, *b));
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

namespace {

/// Prints the structs of pkg/apis/apiextensions/types_jsonschema.go, which have no json tags: every
/// field in its order, nil as null.
class GoPrinter {
 public:
  std::string Take() && { return std::move(out_); }

  void Print(const SchemaProps& schema) {
    out_ += '{';
    first_ = true;
    ForEachKeyword([&](const auto& keyword) { Field(keyword.go_name, schema.*keyword.member); });
    out_ += '}';
    first_ = false;
  }

  void Print(const ValidationRule& rule) {
    Struct(std::pair("Rule", &rule.rule), std::pair("Message", &rule.message),
           std::pair("MessageExpression", &rule.message_expression),
           std::pair("Reason", &rule.reason), std::pair("FieldPath", &rule.field_path),
           std::pair("OptionalOldSelf", &rule.optional_old_self));
  }

 private:
  template <typename T>
  void Field(std::string_view name, const T& value) {
    if (!first_) out_ += ',';
    first_ = false;
    out_.append("\"").append(name).append("\":");
    Print(value);
  }

  template <typename... Fields>
  void Struct(Fields... fields) {
    out_ += '{';
    first_ = true;
    (Field(fields.first, *fields.second), ...);
    out_ += '}';
    first_ = false;
  }

  void Print(std::string_view text) { json::PrintTo(out_, json::Value::String(text)); }
  void Print(bool value) { out_ += value ? "true" : "false"; }
  void Print(double value) { out_ += json::FormatFloat(value); }
  void Print(std::int64_t value) { out_ += std::to_string(value); }

  void Print(const json::Value& value) {
    // Numbers were read into an int64 or float64 on the way into the internal type.
    json::Arena arena;
    json::Value copy = json::DeepCopy(value, arena);
    // What no float64 can hold was refused before; print it as it is.
    static_cast<void>(json::StoreNumbers(copy, arena));
    json::PrintTo(out_, copy);
  }

  template <typename T>
  void Print(const std::optional<T>& value) {
    value ? Print(*value) : PrintNull();
  }

  template <typename T>
  void Print(const std::unique_ptr<T>& value) {
    value != nullptr ? Print(*value) : PrintNull();
  }

  template <typename T>
  void Print(const std::vector<T>& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ',';
      Print(list[i]);
    }
    out_ += ']';
  }

  template <typename T>
  void Print(const GoList<T>& list) {
    if (list.is_nil) return PrintNull();
    Print(static_cast<const std::vector<T>&>(list));
  }

  template <typename T>
  void Print(const SortedMap<T>& map) {
    if (map.is_nil) return PrintNull();
    out_ += '{';
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (i > 0) out_ += ',';
      Print(map[i].first);
      out_ += ':';
      Print(map[i].second);
    }
    out_ += '}';
  }

  void Print(const SchemaPropsOrArray& items) {
    Struct(std::pair("Schema", &items.schema), std::pair("JSONSchemas", &items.schemas));
  }

  void Print(const SchemaPropsOrBool& or_bool) {
    Struct(std::pair("Allows", &or_bool.allows), std::pair("Schema", &or_bool.schema));
  }

  void Print(const SchemaPropsOrStrings& or_strings) {
    Struct(std::pair("Schema", &or_strings.schema), std::pair("Property", &or_strings.strings));
  }

  void Print(const ExternalDocs& docs) {
    Struct(std::pair("Description", &docs.description), std::pair("URL", &docs.url));
  }

  void PrintNull() { out_ += "null"; }

  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string PrintGo(const SchemaProps& schema) {
  GoPrinter printer;
  printer.Print(schema);
  return std::move(printer).Take();
}

std::string PrintGo(const ValidationRule& rule) {
  GoPrinter printer;
  printer.Print(rule);
  return std::move(printer).Take();
}

}  // namespace kube::schema
