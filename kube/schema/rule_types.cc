#include "kube/schema/rule_types.h"

#include <algorithm>

#include "kube/json/json.h"

namespace kube::schema {
namespace {

using cel::SchemaField;
using cel::SchemaType;
using Kind = cel::SchemaType::Kind;

/// The smallest values as JSON, in bytes (apiserver pkg/cel/limits.go).
constexpr std::int64_t kStringSize = 2;
constexpr std::int64_t kBoolSize = 4;
constexpr std::int64_t kNumberSize = 1;
constexpr std::int64_t kDateSize = 12;
constexpr std::int64_t kLeastDateTimeSize = 21;
constexpr std::int64_t kMostDateTimeSize = 32;
constexpr std::int64_t kLeastDurationSize = 3;
constexpr std::int64_t kMostDurationSize = 32;
constexpr std::int64_t kContainerSize = 2;

std::int64_t ZeroIfNegative(std::int64_t value) { return std::max<std::int64_t>(value, 0); }

/// What a limit of characters is in bytes.
std::int64_t BytesOf(std::int64_t characters) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(ZeroIfNegative(characters)) * 4);
}

std::int64_t LongestEnumValue(const SchemaProps& schema) {
  std::int64_t longest = 0;
  for (const json::Value& value : *schema.enum_values) {
    if (value.type() != json::Type::kString) continue;
    longest = std::max(longest, static_cast<std::int64_t>(value.text().size()));
  }
  return longest;
}

void SetScalar(SchemaType& type, Kind kind, std::int64_t least, std::int64_t most) {
  type.kind = kind;
  type.is_declared = true;
  type.min_serialized_size = least;
  type.max_size = most;
}

void SetText(const SchemaProps& schema, SchemaType& type) {
  constexpr std::int64_t kMostCharacters = kMostRequestBytes - 2;
  if (schema.format == "duration") {
    return SetScalar(type, Kind::kDuration, kLeastDurationSize, kMostDurationSize);
  }
  if (schema.format == "date") return SetScalar(type, Kind::kDate, kDateSize, kDateSize);
  if (schema.format == "date-time") {
    return SetScalar(type, Kind::kDateTime, kLeastDateTimeSize, kMostDateTimeSize);
  }
  if (schema.format == "byte") {
    const std::int64_t most =
        schema.max_length ? ZeroIfNegative(*schema.max_length) : kMostCharacters;
    return SetScalar(type, Kind::kBytes, kStringSize, most);
  }
  std::int64_t most = kMostCharacters;
  if (schema.max_length) {
    most = BytesOf(*schema.max_length);
  } else if (schema.enum_values && !schema.enum_values->empty()) {
    most = LongestEnumValue(schema);
  }
  SetScalar(type, Kind::kString, kStringSize, most);
}

bool IsRequired(const SchemaProps& schema, std::string_view name) {
  return schema.required && std::ranges::find(*schema.required, name) != schema.required->end();
}

bool IsOfType(const SchemaProps* schema, std::string_view type) {
  return schema != nullptr && schema->type == type;
}

/// True where the schema itself says what the server adds to resources otherwise.
bool DescribesResource(const SchemaProps& schema) {
  const SchemaProps* metadata = schema.FindProperty("metadata");
  return IsOfType(schema.FindProperty("kind"), "string") &&
         IsOfType(schema.FindProperty("apiVersion"), "string") && IsOfType(metadata, "object") &&
         IsOfType(metadata->FindProperty("name"), "string") &&
         IsOfType(metadata->FindProperty("generateName"), "string");
}

Kind ListKind(const SchemaProps& schema) {
  if (schema.x_list_type == "set") return Kind::kSet;
  return schema.x_list_type == "map" ? Kind::kListMap : Kind::kList;
}

void SetField(SchemaType& type, std::string_view key, const SchemaType* field) {
  const auto at = std::ranges::lower_bound(type.fields, key, {}, &SchemaField::key);
  if (at != type.fields.end() && at->key == key) {
    at->type = field;
    return;
  }
  type.fields.insert(at, {std::string(key), cel::Escape(key).value_or(""), field});
}

}  // namespace

RuleTypes::RuleTypes(const SchemaProps& schema, bool is_resource)
    : root_(Make(schema, is_resource)) {}

const SchemaType* RuleTypes::Find(const SchemaProps& schema) const {
  const auto found = by_schema_.find(&schema);
  return found == by_schema_.end() ? nullptr : found->second;
}

SchemaType* RuleTypes::Make(const SchemaProps& schema, bool is_resource) {
  SchemaType& type = types_.emplace_back();
  by_schema_[&schema] = &type;
  type.is_nullable = schema.nullable;
  type.type_name = schema.type;
  if (schema.x_int_or_string) {
    SetScalar(type, Kind::kIntOrString, 1,
              schema.max_length ? BytesOf(*schema.max_length) : kMostRequestBytes - 2);
  } else if (schema.type == "array") {
    MakeList(schema, type);
  } else if (schema.type == "object") {
    const SchemaProps* values = schema.ValuesSchema();
    if (values != nullptr && !is_resource && schema.properties.empty()) {
      MakeMap(*values, schema, type);
    } else {
      MakeObject(schema, is_resource, type);
    }
  } else if (schema.type == "string") {
    SetText(schema, type);
  } else if (schema.type == "boolean") {
    SetScalar(type, Kind::kBool, kBoolSize, 0);
  } else if (schema.type == "number") {
    SetScalar(type, Kind::kDouble, kNumberSize, 0);
  } else if (schema.type == "integer") {
    SetScalar(type, Kind::kInt, kNumberSize, 0);
  } else if (schema.Preserves()) {
    type.kind = Kind::kPreserved;
  }
  return &type;
}

void RuleTypes::MakeList(const SchemaProps& schema, SchemaType& type) {
  type.kind = ListKind(schema);
  const SchemaProps* items = schema.ItemsSchema();
  if (items == nullptr) return;
  const SchemaType* element = Make(*items, items->x_embedded_resource);
  type.element = element;
  type.is_declared = element->is_declared;
  type.min_serialized_size = kContainerSize;
  type.max_size = schema.max_items ? ZeroIfNegative(*schema.max_items)
                                   : (kMostRequestBytes - 2) / (element->min_serialized_size + 1);
  if (type.kind != Kind::kListMap || !schema.x_list_map_keys) return;
  for (const std::string_view key : *schema.x_list_map_keys) {
    type.map_keys.push_back(cel::Escape(key).value_or(std::string(key)));
  }
}

void RuleTypes::MakeMap(const SchemaProps& values, const SchemaProps& schema, SchemaType& type) {
  constexpr std::int64_t kKeySize = 6;  // quotes, a colon, a comma and a little
  type.kind = Kind::kMap;
  const SchemaType* element = Make(values, values.x_embedded_resource);
  type.element = element;
  type.is_declared = element->is_declared;
  type.min_serialized_size = kContainerSize;
  type.max_size = schema.max_properties
                      ? ZeroIfNegative(*schema.max_properties)
                      : (kMostRequestBytes - 2) / (element->min_serialized_size + kKeySize);
}

void RuleTypes::MakeObject(const SchemaProps& schema, bool is_resource, SchemaType& type) {
  constexpr std::int64_t kFieldSize = 4;  // quotes, a colon and a comma
  type.kind = Kind::kObject;
  type.is_declared = true;
  for (const auto& [name, property] : schema.properties) {
    SetField(type, name, Make(property, property.x_embedded_resource));
  }
  if (is_resource && !DescribesResource(schema)) AddResourceFields(schema, type);
  type.min_serialized_size = kContainerSize;
  for (const SchemaField& field : type.fields) {
    const SchemaProps* property = schema.FindProperty(field.key);
    const bool has_default = property != nullptr && property->default_value.has_value();
    if (!field.type->is_declared || has_default || !IsRequired(schema, field.key)) continue;
    type.min_serialized_size +=
        static_cast<std::int64_t>(field.key.size()) + field.type->min_serialized_size + kFieldSize;
  }
}

void RuleTypes::AddResourceFields(const SchemaProps& schema, SchemaType& type) {
  SetField(type, "apiVersion", MakeText());
  SetField(type, "kind", MakeText());
  SchemaType& metadata = types_.emplace_back();
  metadata.kind = Kind::kObject;
  metadata.is_declared = true;
  metadata.type_name = "object";
  metadata.min_serialized_size = kContainerSize;
  SetField(metadata, "generateName", MakeText());
  SetField(metadata, "name", MakeText());
  SetField(type, "metadata", &metadata);
  // Rules in what the schema says of them see what was added.
  const auto replace = [this](const SchemaProps* property, const SchemaType* added) {
    if (property != nullptr) by_schema_[property] = added;
  };
  replace(schema.FindProperty("apiVersion"), type.FindKey("apiVersion")->type);
  replace(schema.FindProperty("kind"), type.FindKey("kind")->type);
  const SchemaProps* written = schema.FindProperty("metadata");
  replace(written, &metadata);
  if (written == nullptr) return;
  for (const auto& [name, property] : written->properties) {
    const SchemaField* field = metadata.FindKey(name);
    replace(&property, field == nullptr ? nullptr : field->type);
  }
}

SchemaType* RuleTypes::MakeText() {
  SchemaProps schema;
  SchemaType& type = types_.emplace_back();
  type.type_name = "string";
  SetText(schema, type);
  return &type;
}

}  // namespace kube::schema
