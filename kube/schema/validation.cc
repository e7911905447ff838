#include "kube/schema/validation.h"

#include "kube/go/go_format.h"
#include "kube/go/go_regexp.h"
#include "kube/meta/path_text.h"
#include "kube/schema/keywords.h"

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

// The next ask whether a part of a schema equals Go's zero value after NewStructural, which is what
// reflect.DeepEqual compares with: [] is not nil where NewStructural copies the slice, but is where
// it appends element by element.

template <typename T>
bool IsZero(const T& value) {
  return IsEmpty(value);
}
template <typename T>
requires(!std::is_same_v<T, json::Value>) bool IsZero(const std::optional<std::vector<T>>& list) {
  return !list;
}

/// Whether there is no keyword but type, default and what says what is in a value.
bool SaysNothing(const SchemaProps& schema) {
  return !AnyKeyword(schema, [](const auto& keyword, const auto& value) {
    return keyword.Is(kGeneric | kDocs | kValue | kExtension) && keyword.name != "type" &&
           keyword.name != "default" && !IsZero(value);
  });
}

/// additionalProperties as NewStructural reads it in a value validation, where false is nothing.
bool NestedHasAdditionalProperties(const SchemaProps& schema) {
  const SchemaPropsOrBool* additional = schema.additional_properties.get();
  return additional != nullptr && (additional->schema != nullptr || additional->allows);
}

bool IsOnlyType(const SchemaProps& schema, std::string_view type) {
  return schema.type == type && !schema.default_value && SaysNothing(schema) &&
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
  return HasOnlyNames(metadata) && SaysNothing(metadata) && metadata.ItemsSchema() == nullptr &&
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
  void CheckForbidden(const SchemaProps& schema, const meta::FieldPath& path);

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
  if (schema.Preserves()) Invalid(path, "x-kubernetes-preserve-unknown-fields", "true", kDetail);
  if (schema.x_embedded_resource) Invalid(path, "x-kubernetes-embedded-resource", "true", kDetail);
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
  } else if (schema.type.empty() && !schema.x_int_or_string && !schema.Preserves()) {
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
  if (!schema.Preserves() && schema.properties.empty()) {
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
  CheckForbidden(schema, path);
  if (schema.FindProperty("metadata") != nullptr) {
    errors_.push_back({meta::ErrorType::kForbidden,
                       meta::FieldPath(path, "properties", "metadata").ToString(), "",
                       "must not be specified in a nested context"});
  }
}

// By the type of the keyword's value.
template <typename T>
std::string_view WhatItMustBe(const T& /*value*/) {
  return "must be undefined to be structural";
}
template <typename T>
std::string_view WhatItMustBe(const std::optional<std::vector<T>>& /*list*/) {
  return "must be empty to be structural";
}
std::string_view WhatItMustBe(std::string_view) { return "must be empty to be structural"; }
std::string_view WhatItMustBe(bool) { return "must be false to be structural"; }
std::string_view WhatItMustBe(const std::optional<bool>&) { return WhatItMustBe(false); }

void StructuralCheck::CheckForbidden(const SchemaProps& schema, const meta::FieldPath& path) {
  Forbid(NestedHasAdditionalProperties(schema), path, "additionalProperties",
         WhatItMustBe(schema.additional_properties));
  ForEachKeyword([&](const auto& keyword) {
    const auto& value = schema.*keyword.member;
    if (!keyword.Is(kGeneric | kExtension)) return;
    Forbid(!IsEmpty(value), path, keyword.name, WhatItMustBe(value));
  });
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
