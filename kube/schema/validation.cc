#include "kube/schema/validation.h"

#include "kube/go/go_format.h"
#include "kube/go/go_regexp.h"
#include "kube/meta/field_path.h"

namespace kube::schema {
namespace {

class CompletenessCheck {
 public:
  explicit CompletenessCheck(std::vector<meta::FieldError>& errors) : errors_(errors) {}

  /// Compares the value validations of `validation` with `specified`, the structural schema at the
  /// same place.
  void CheckValueValidations(const SchemaProps& validation, const SchemaProps& specified,
                             const meta::FieldPath& specified_path,
                             const meta::FieldPath& validation_path) {
    if (validation.not_schema != nullptr) {
      CheckNested(*validation.not_schema, specified, specified_path,
                  meta::FieldPath(validation_path, "not"));
    }
    CheckList(validation.all_of, "allOf", specified, specified_path, validation_path);
    CheckList(validation.any_of, "anyOf", specified, specified_path, validation_path);
    CheckList(validation.one_of, "oneOf", specified, specified_path, validation_path);
  }

 private:
  void CheckList(const GoList<SchemaProps>& validations, std::string_view keyword,
                 const SchemaProps& specified, const meta::FieldPath& specified_path,
                 const meta::FieldPath& validation_path) {
    for (std::size_t i = 0; i < validations.size(); ++i) {
      CheckNested(validations[i], specified, specified_path,
                  meta::FieldPath(validation_path, keyword, i));
    }
  }

  void CheckNested(const SchemaProps& validation, const SchemaProps& specified,
                   const meta::FieldPath& specified_path, const meta::FieldPath& validation_path) {
    CheckValueValidations(validation, specified, specified_path, validation_path);
    if (const SchemaProps* items = validation.ItemsSchema()) {
      CheckSpecified(*items, specified.ItemsSchema(), meta::FieldPath(specified_path, "items"),
                     meta::FieldPath(validation_path, "items"));
    }
    for (const auto& [name, property] : validation.properties) {
      CheckSpecified(property, specified.FindProperty(name),
                     meta::FieldPath(specified_path, "properties", name),
                     meta::FieldPath(validation_path, "properties", name));
    }
  }

  void CheckSpecified(const SchemaProps& validation, const SchemaProps* specified,
                      const meta::FieldPath& specified_path,
                      const meta::FieldPath& validation_path) {
    if (specified != nullptr) {
      return CheckNested(validation, *specified, specified_path, validation_path);
    }
    errors_.push_back({meta::ErrorType::kRequired, specified_path.ToString(), "",
                       "because it is defined in " + validation_path.ToString()});
  }

  std::vector<meta::FieldError>& errors_;
};

}  // namespace

void CheckCompleteness(const SchemaProps& root, std::string_view base_path,
                       std::vector<meta::FieldError>& errors) {
  const meta::FieldPath path(base_path);
  CompletenessCheck(errors).CheckValueValidations(root, root, path, path);
}

namespace {

enum class Level { kRoot, kItem, kField };

constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";

bool Preserves(const SchemaProps& schema) {
  return schema.x_preserve_unknown_fields.value_or(false);
}

// The next four ask whether a part of a schema equals Go's zero value after NewStructural, which is
// what reflect.DeepEqual compares with: [] is not nil where NewStructural copies the slice, but is
// where it appends element by element.

bool HasNoLimits(const SchemaProps& schema) {
  return !schema.maximum && !schema.exclusive_maximum && !schema.minimum &&
         !schema.exclusive_minimum && !schema.max_length && !schema.min_length &&
         !schema.max_items && !schema.min_items && !schema.unique_items && !schema.multiple_of &&
         !schema.max_properties && !schema.min_properties;
}

bool HasNoValueValidation(const SchemaProps& schema) {
  const bool no_enum = !schema.enum_values || schema.enum_values->empty();
  return HasNoLimits(schema) && no_enum && schema.format.empty() && schema.pattern.empty() &&
         !schema.required && schema.all_of.empty() && schema.any_of.empty() &&
         schema.one_of.empty() && schema.not_schema == nullptr;
}

bool HasNoExtensions(const SchemaProps& schema) {
  return !Preserves(schema) && !schema.x_embedded_resource && !schema.x_int_or_string &&
         !schema.x_list_map_keys && !schema.x_list_type && !schema.x_map_type &&
         !schema.x_validations;
}

// All generic keywords but type and default.
bool HasNoGenerics(const SchemaProps& schema) {
  return schema.description.empty() && schema.title.empty() && !schema.nullable &&
         !schema.external_docs && !schema.example;
}

/// additionalProperties as NewStructural reads it in a value validation, where false is nothing.
bool NestedHasAdditionalProperties(const SchemaProps& schema) {
  const SchemaPropsOrBool* additional = schema.additional_properties.get();
  return additional != nullptr && (additional->schema != nullptr || additional->allows);
}

bool IsOnlyType(const SchemaProps& schema, std::string_view type) {
  return schema.type == type && !schema.default_value && HasNoGenerics(schema) &&
         HasNoValueValidation(schema) && HasNoExtensions(schema) &&
         schema.ItemsSchema() == nullptr && schema.properties.is_nil &&
         !NestedHasAdditionalProperties(schema);
}

/// The one use of type in a value validation that is structural.
bool IsIntOrStringPattern(const GoList<SchemaProps>& any_of) {
  return any_of.size() == 2 && IsOnlyType(any_of[0], "integer") && IsOnlyType(any_of[1], "string");
}

/// True for no properties, or some of name and generateName and no other.
bool HasOnlyNames(const SchemaProps& metadata) {
  for (const auto& [name, property] : metadata.properties) {
    if (name != "name" && name != "generateName") return false;
  }
  return true;
}

bool RestrictsOnlyNames(const SchemaProps& metadata) {
  return HasOnlyNames(metadata) && HasNoGenerics(metadata) && HasNoValueValidation(metadata) &&
         HasNoExtensions(metadata) && metadata.ItemsSchema() == nullptr &&
         metadata.additional_properties == nullptr;
}

std::string_view MissingTypeDetail(Level level) {
  switch (level) {
    case Level::kRoot:
      return "must not be empty at the root";
    case Level::kItem:
      return "must not be empty for specified array items";
    case Level::kField:
      return "must not be empty for specified object fields";
  }
  return "";
}

/// The rules of ValidateStructural in the order of the Go functions.
class StructuralCheck {
 public:
  explicit StructuralCheck(std::vector<meta::FieldError>& errors) : errors_(errors) {}

  /// Checks a node that is reached by properties, items and additionalProperties alone.
  void CheckNode(const SchemaProps& schema, Level level, const meta::FieldPath& path);

 private:
  void CheckChildren(const SchemaProps& schema, Level level, const meta::FieldPath& path);
  void CheckType(const SchemaProps& schema, Level level, const meta::FieldPath& path);
  void CheckExtensions(const SchemaProps& schema, const meta::FieldPath& path);
  void CheckEmbedded(const SchemaProps& schema, const meta::FieldPath& path);
  void CheckTypeMeta(const SchemaProps& schema, const meta::FieldPath& path);
  void CheckPropertyType(const SchemaProps& schema, std::string_view name, std::string_view type,
                         const meta::FieldPath& path);
  void CheckRootMetadata(const SchemaProps& schema, const meta::FieldPath& path);

  void CheckValueValidations(const SchemaProps& schema, bool skip_any_of,
                             bool skip_first_all_of_any_of, const meta::FieldPath& path);
  void CheckList(const GoList<SchemaProps>& schemas, std::string_view keyword,
                 bool skip_first_any_of, const meta::FieldPath& path);
  void CheckPattern(const SchemaProps& schema, const meta::FieldPath& path);
  void CheckNested(const SchemaProps& schema, bool skip_any_of, const meta::FieldPath& path);
  void CheckForbiddenGenerics(const SchemaProps& schema, const meta::FieldPath& path);
  void CheckForbiddenExtensions(const SchemaProps& schema, const meta::FieldPath& path);

  void Add(meta::ErrorType type, const meta::FieldPath& path, std::string_view name,
           std::string bad_value, std::string_view detail) {
    errors_.push_back(
        {type, meta::FieldPath(path, name).ToString(), std::move(bad_value), std::string(detail)});
  }
  void Required(const meta::FieldPath& path, std::string_view name, std::string_view detail) {
    Add(meta::ErrorType::kRequired, path, name, "", detail);
  }
  void Invalid(const meta::FieldPath& path, std::string_view name, std::string bad_value,
               std::string_view detail) {
    Add(meta::ErrorType::kInvalid, path, name, std::move(bad_value), detail);
  }
  void Forbid(bool present, const meta::FieldPath& path, std::string_view name,
              std::string_view detail) {
    if (present) Add(meta::ErrorType::kForbidden, path, name, "", detail);
  }

  std::vector<meta::FieldError>& errors_;
};

void StructuralCheck::CheckNode(const SchemaProps& schema, Level level,
                                const meta::FieldPath& path) {
  CheckChildren(schema, level, path);
  CheckExtensions(schema, path);
  const bool first_all_of_is_pattern =
      !schema.all_of.empty() && IsIntOrStringPattern(schema.all_of.front().any_of);
  CheckValueValidations(schema, IsIntOrStringPattern(schema.any_of), first_all_of_is_pattern, path);
  CheckType(schema, level, path);
  CheckEmbedded(schema, path);
  if (level == Level::kRoot || schema.x_embedded_resource) CheckTypeMeta(schema, path);
  if (level == Level::kRoot) CheckRootMetadata(schema, path);
}

void StructuralCheck::CheckChildren(const SchemaProps& schema, Level level,
                                    const meta::FieldPath& path) {
  if (const SchemaProps* items = schema.ItemsSchema()) {
    CheckNode(*items, Level::kItem, meta::FieldPath(path, "items"));
  } else if (schema.type == "array") {
    Required(path, "items", "must be specified");
  }
  for (const auto& [name, property] : schema.properties) {
    CheckNode(property, Level::kField, meta::FieldPath(path, "properties", name));
  }
  const SchemaPropsOrBool* additional = schema.additional_properties.get();
  if (additional == nullptr) return;
  Forbid(level == Level::kRoot, path, "additionalProperties", "must not be used at the root");
  if (additional->schema != nullptr) {
    CheckNode(*additional->schema, Level::kField, meta::FieldPath(path, "additionalProperties"));
  }
}

void StructuralCheck::CheckExtensions(const SchemaProps& schema, const meta::FieldPath& path) {
  constexpr std::string_view kDetail = "must be false if x-kubernetes-int-or-string is true";
  if (!schema.x_int_or_string) return;
  if (Preserves(schema)) Invalid(path, kPreserve, "true", kDetail);
  if (schema.x_embedded_resource) Invalid(path, kEmbedded, "true", kDetail);
}

void StructuralCheck::CheckType(const SchemaProps& schema, Level level,
                                const meta::FieldPath& path) {
  constexpr std::string_view kMustBeObject =
      "must be object if x-kubernetes-embedded-resource is true";
  if (schema.x_embedded_resource && schema.type != "object") {
    if (schema.type.empty()) {
      Required(path, "type", kMustBeObject);
    } else {
      Invalid(path, "type", go::GoQuote(schema.type), kMustBeObject);
    }
  } else if (schema.type.empty() && !schema.x_int_or_string && !Preserves(schema)) {
    Required(path, "type", MissingTypeDetail(level));
  }
  if (level == Level::kRoot && !schema.type.empty() && schema.type != "object") {
    Invalid(path, "type", go::GoQuote(schema.type), "must be object at the root");
  }
}

void StructuralCheck::CheckEmbedded(const SchemaProps& schema, const meta::FieldPath& path) {
  if (!schema.x_embedded_resource) return;
  Forbid(schema.additional_properties != nullptr, path, "additionalProperties",
         "must not be used if x-kubernetes-embedded-resource is set");
  if (!Preserves(schema) && schema.properties.empty()) {
    Required(path, "properties",
             "must not be empty if x-kubernetes-embedded-resource is true without "
             "x-kubernetes-preserve-unknown-fields");
  }
}

void StructuralCheck::CheckTypeMeta(const SchemaProps& schema, const meta::FieldPath& path) {
  CheckPropertyType(schema, "kind", "string", path);
  CheckPropertyType(schema, "apiVersion", "string", path);
  CheckPropertyType(schema, "metadata", "object", path);
}

void StructuralCheck::CheckPropertyType(const SchemaProps& schema, std::string_view name,
                                        std::string_view type, const meta::FieldPath& path) {
  const SchemaProps* property = schema.FindProperty(name);
  if (property == nullptr || property->type == type) return;
  Invalid(meta::FieldPath(path, "properties", name), "type", go::GoQuote(property->type),
          "must be " + std::string(type));
}

void StructuralCheck::CheckRootMetadata(const SchemaProps& schema, const meta::FieldPath& path) {
  const SchemaProps* metadata = schema.FindProperty("metadata");
  if (metadata == nullptr || RestrictsOnlyNames(*metadata)) return;
  errors_.push_back({meta::ErrorType::kForbidden,
                     meta::FieldPath(path, "properties", "metadata").ToString(), "",
                     "must not specify anything other than name and generateName, but metadata is "
                     "implicitly specified"});
}

void StructuralCheck::CheckValueValidations(const SchemaProps& schema, bool skip_any_of,
                                            bool skip_first_all_of_any_of,
                                            const meta::FieldPath& path) {
  if (!skip_any_of) CheckList(schema.any_of, "anyOf", false, path);
  CheckList(schema.all_of, "allOf", skip_first_all_of_any_of, path);
  CheckList(schema.one_of, "oneOf", false, path);
  if (schema.not_schema != nullptr)
    CheckNested(*schema.not_schema, false, meta::FieldPath(path, "not"));
  CheckPattern(schema, path);
}

void StructuralCheck::CheckList(const GoList<SchemaProps>& schemas, std::string_view keyword,
                                bool skip_first_any_of, const meta::FieldPath& path) {
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    CheckNested(schemas[i], skip_first_any_of && i == 0, meta::FieldPath(path, keyword, i));
  }
}

void StructuralCheck::CheckPattern(const SchemaProps& schema, const meta::FieldPath& path) {
  if (schema.pattern.empty()) return;
  if (const auto error = go::GoRegexpError(schema.pattern)) {
    Invalid(path, "pattern", go::GoQuote(schema.pattern),
            "must be a valid regular expression, but isn't: " + *error);
  }
}

void StructuralCheck::CheckNested(const SchemaProps& schema, bool skip_any_of,
                                  const meta::FieldPath& path) {
  CheckValueValidations(schema, skip_any_of, false, path);
  if (const SchemaProps* items = schema.ItemsSchema()) {
    CheckNested(*items, false, meta::FieldPath(path, "items"));
  }
  for (const auto& [name, property] : schema.properties) {
    CheckNested(property, false, meta::FieldPath(path, "properties", name));
  }
  CheckForbiddenGenerics(schema, path);
  CheckForbiddenExtensions(schema, path);
  if (schema.FindProperty("metadata") != nullptr) {
    errors_.push_back({meta::ErrorType::kForbidden,
                       meta::FieldPath(path, "properties", "metadata").ToString(), "",
                       "must not be specified in a nested context"});
  }
}

constexpr std::string_view kMustBeEmpty = "must be empty to be structural";
constexpr std::string_view kMustBeUndefined = "must be undefined to be structural";
constexpr std::string_view kMustBeFalse = "must be false to be structural";

void StructuralCheck::CheckForbiddenGenerics(const SchemaProps& schema,
                                             const meta::FieldPath& path) {
  Forbid(!schema.type.empty(), path, "type", kMustBeEmpty);
  Forbid(NestedHasAdditionalProperties(schema), path, "additionalProperties", kMustBeUndefined);
  Forbid(schema.default_value.has_value(), path, "default", kMustBeUndefined);
  Forbid(!schema.title.empty(), path, "title", kMustBeEmpty);
  Forbid(!schema.description.empty(), path, "description", kMustBeEmpty);
  Forbid(schema.nullable, path, "nullable", kMustBeFalse);
}

void StructuralCheck::CheckForbiddenExtensions(const SchemaProps& schema,
                                               const meta::FieldPath& path) {
  const bool has_map_keys = schema.x_list_map_keys && !schema.x_list_map_keys->empty();
  const bool has_rules = schema.x_validations && !schema.x_validations->empty();
  Forbid(Preserves(schema), path, kPreserve, kMustBeFalse);
  Forbid(schema.x_embedded_resource, path, kEmbedded, kMustBeFalse);
  Forbid(schema.x_int_or_string, path, "x-kubernetes-int-or-string", kMustBeFalse);
  Forbid(has_map_keys, path, "x-kubernetes-list-map-keys", kMustBeEmpty);
  Forbid(schema.x_list_type.has_value(), path, "x-kubernetes-list-type", kMustBeUndefined);
  Forbid(schema.x_map_type.has_value(), path, "x-kubernetes-map-type", kMustBeUndefined);
  Forbid(has_rules, path, "x-kubernetes-validations", kMustBeEmpty);
}

}  // namespace

std::vector<meta::FieldError> ValidateStructural(const SchemaProps& schema,
                                                 std::string_view base_path) {
  std::vector<meta::FieldError> errors;
  StructuralCheck(errors).CheckNode(schema, Level::kRoot, meta::FieldPath(base_path));
  CheckCompleteness(schema, base_path, errors);
  meta::SortByString(errors);
  return errors;
}

}  // namespace kube::schema
