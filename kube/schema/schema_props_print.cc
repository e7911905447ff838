#include "kube/go/go_format.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {
namespace {

/// Prints the structs of pkg/apis/apiextensions/types_jsonschema.go, which have no json tags: every
/// field in its order, nil as null.
class GoPrinter {
 public:
  std::string Take() && { return std::move(out_); }

  void Print(const SchemaProps& schema) {
    out_ += '{';
    first_ = true;
    PrintScalars(schema);
    PrintLimits(schema);
    PrintSchemas(schema);
    PrintRest(schema);
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
  void PrintScalars(const SchemaProps& s) {
    Field("ID", s.id);
    Field("Schema", s.schema);
    Field("Ref", s.ref);
    Field("Description", s.description);
    Field("Type", s.type);
    Field("Nullable", s.nullable);
    Field("Format", s.format);
    Field("Title", s.title);
    Field("Default", s.default_value);
  }

  void PrintLimits(const SchemaProps& s) {
    Field("Maximum", s.maximum);
    Field("ExclusiveMaximum", s.exclusive_maximum);
    Field("Minimum", s.minimum);
    Field("ExclusiveMinimum", s.exclusive_minimum);
    Field("MaxLength", s.max_length);
    Field("MinLength", s.min_length);
    Field("Pattern", s.pattern);
    Field("MaxItems", s.max_items);
    Field("MinItems", s.min_items);
    Field("UniqueItems", s.unique_items);
    Field("MultipleOf", s.multiple_of);
    Field("Enum", s.enum_values);
    Field("MaxProperties", s.max_properties);
    Field("MinProperties", s.min_properties);
    Field("Required", s.required);
  }

  void PrintSchemas(const SchemaProps& s) {
    Field("Items", s.items);
    Field("AllOf", s.all_of);
    Field("OneOf", s.one_of);
    Field("AnyOf", s.any_of);
    Field("Not", s.not_schema);
    Field("Properties", s.properties);
    Field("AdditionalProperties", s.additional_properties);
    Field("PatternProperties", s.pattern_properties);
    Field("Dependencies", s.dependencies);
    Field("AdditionalItems", s.additional_items);
    Field("Definitions", s.definitions);
  }

  void PrintRest(const SchemaProps& s) {
    Field("ExternalDocs", s.external_docs);
    Field("Example", s.example);
    Field("XPreserveUnknownFields", s.x_preserve_unknown_fields);
    Field("XEmbeddedResource", s.x_embedded_resource);
    Field("XIntOrString", s.x_int_or_string);
    Field("XListMapKeys", s.x_list_map_keys);
    Field("XListType", s.x_list_type);
    Field("XMapType", s.x_map_type);
    Field("XValidations", s.x_validations);
  }

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
