#include "kube/crd/crd_schema_validation.h"

#include <algorithm>
#include <string>

#include "kube/go/go_format.h"
#include "kube/go/go_printable.h"
#include "kube/meta/make_field_error.h"
#include "kube/schema/json_path.h"
#include "kube/schema/keywords.h"
#include "kube/schema/structural.h"

namespace kube::crd {
namespace {

using kube::meta::Child;
using kube::meta::FieldError;
using schema::SchemaProps;

bool HasLineBreaks(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

void CheckMessage(const schema::ValidationRule& rule, const std::string& path,
                  std::vector<FieldError>& errors) {
  const std::string_view trimmed_rule = go::TrimGoSpace(rule.rule);
  const std::string_view trimmed_message = go::TrimGoSpace(rule.message);
  const std::string message_path = Child(path, "message");
  if (trimmed_rule.empty()) {
    errors.push_back(meta::Required(Child(path, "rule"), "rule is not specified"));
  } else if (!rule.message.empty() && trimmed_message.empty()) {
    errors.push_back(
        meta::InvalidText(message_path, rule.message, "must be non-empty if specified"));
  } else if (HasLineBreaks(trimmed_message)) {
    errors.push_back(meta::InvalidText(message_path, rule.message, "must not contain line breaks"));
  } else if (HasLineBreaks(trimmed_rule) && trimmed_message.empty()) {
    errors.push_back(
        meta::Required(message_path, "message must be specified if rule contains line breaks"));
  }
  if (!rule.message_expression.empty() && go::TrimGoSpace(rule.message_expression).empty()) {
    errors.push_back(meta::Required(Child(path, "messageExpression"),
                                    "messageExpression must be non-empty if specified"));
  }
}

void CheckReason(const schema::ValidationRule& rule, const std::string& path,
                 std::vector<FieldError>& errors) {
  static const std::vector<std::string> kReasons = {"FieldValueDuplicate", "FieldValueForbidden",
                                                    "FieldValueInvalid", "FieldValueRequired"};
  if (!rule.reason || std::ranges::find(kReasons, *rule.reason) != kReasons.end()) return;
  // A Go type of its own, not a string: printed as JSON.
  errors.push_back(
      meta::NotSupported(Child(path, "reason"), meta::PrintJsonText(*rule.reason), kReasons));
}

void CheckFieldPath(const schema::ValidationRule& rule, const SchemaProps& schema,
                    const std::string& path, bool is_convertible, std::vector<FieldError>& errors) {
  if (rule.field_path.empty()) return;
  const std::string field_path = Child(path, "fieldPath");
  if (go::TrimGoSpace(rule.field_path).empty()) {
    errors.push_back(
        meta::InvalidText(field_path, rule.field_path, "must be non-empty if specified"));
  }
  if (HasLineBreaks(rule.field_path)) {
    errors.push_back(
        meta::InvalidText(field_path, rule.field_path, "must not contain line breaks"));
  }
  if (is_convertible &&
      !schema::FollowJsonPath(rule.field_path, &schema, /*allow_array_notation=*/true)) {
    errors.push_back(meta::InvalidText(field_path, rule.field_path, "must be a valid path"));
  }
}

}  // namespace

void ValidateValidationRules(const SchemaProps& schema, std::string_view path,
                             std::vector<FieldError>& errors) {
  if (!schema.x_validations) return;
  const bool has_field_path = std::ranges::any_of(
      *schema.x_validations,
      [](const schema::ValidationRule& rule) { return !rule.field_path.empty(); });
  const bool is_convertible = has_field_path && !schema::ConversionError(schema);
  for (std::size_t i = 0; i < schema.x_validations->size(); ++i) {
    const schema::ValidationRule& rule = (*schema.x_validations)[i];
    const std::string rule_path = meta::Index(Child(path, "x-kubernetes-validations"), i);
    CheckMessage(rule, rule_path, errors);
    CheckReason(rule, rule_path, errors);
    CheckFieldPath(rule, schema, rule_path, is_convertible, errors);
  }
}

namespace {

using kube::meta::Append;
using kube::meta::Forbidden;

/// What holds for a schema because of where it is.
struct Place {
  bool is_root = false;
  bool is_in_resource_meta = false;
  /// Why defaults are forbidden; empty: they are not.
  std::string_view no_defaults{};
  /// For the expressions of rules; null: the server does not look at them here.
  const RuleContext* context = nullptr;
  /// The list or map above whose elements cannot be told apart; empty: none.
  std::string_view uncorrelatable{};

  /// Of a schema in it that is reached another way than by properties.
  Place Below() const { return {false, is_in_resource_meta, no_defaults, nullptr, uncorrelatable}; }
};

const std::vector<std::string>& ValidTypes() {
  static const std::vector<std::string> kTypes = {"array",  "boolean", "integer",
                                                  "number", "object",  "string"};
  return kTypes;
}

std::string_view NoDefaultsAtRoot(std::string_view name) {
  if (name == "metadata") return "must not be set in top-level metadata";
  if (name == "kind") return "must not be set in top-level kind";
  if (name == "apiVersion") return "must not be set in top-level apiVersion";
  return {};
}

bool IsMeta(std::string_view name) { return !NoDefaultsAtRoot(name).empty(); }

// Whether a keyword has Go's zero value.
bool IsNil(const auto& value) { return schema::IsEmpty(value); }
template <typename T>
bool IsNil(const schema::GoList<T>& list) {
  return list.is_nil;
}
template <typename T>
bool IsNil(const std::optional<T>& value) {
  return !value;
}

class CrdSchemaValidator {
 public:
  CrdSchemaValidator(const CrdRules& rules, CelValidator* cel) : rules_(rules), cel_(cel) {}

  void Walk(const SchemaProps& schema, const std::string& path, const Place& place) {
    const std::size_t errors_before = errors_.size();
    CheckKeywords(schema, path, place);
    CheckUnsupported(schema, path);
    WalkAdditionalProperties(schema, path, place);
    WalkProperties(schema, path, place);
    WalkOthers(schema, path, place);
    ValidateListAndMapTypes(schema, path, rules_, errors_);
    if (rules_.require_map_keys) Append(errors_, FindMapKeyErrors(schema, path));
    ValidateValidationRules(schema, path, errors_);
    // Beside errors here or below those of expressions would say nothing that helps.
    if (schema.HasRules() && place.context != nullptr && errors_.size() == errors_before) {
      cel_->Check(schema, path, *place.context, place.uncorrelatable);
    }
  }

  void WalkRoot(const SchemaProps& schema, const std::string& path) {
    if (cel_ == nullptr) return Walk(schema, path, {.is_root = true});
    const RuleContext context(schema);
    Walk(schema, path, {.is_root = true, .context = &context});
    meta::Append(errors_, cel_->TakeErrors(path));
  }

  std::vector<FieldError> TakeErrors() { return std::move(errors_); }

 private:
  /// Walks into a schema for values that rules can name.
  void WalkValues(const SchemaProps& schema, const std::string& path, Place place,
                  const RuleContext* parent) {
    if (parent == nullptr) return Walk(schema, path, place);
    const RuleContext context(*parent, schema);
    place.context = &context;
    Walk(schema, path, place);
  }

  void Forbid(bool is_used, const std::string& path, std::string_view name,
              std::string_view detail) {
    if (is_used) errors_.push_back(Forbidden(Child(path, name), detail));
  }

  void CheckKeywords(const SchemaProps& schema, const std::string& path, const Place& place) {
    if (rules_.require_valid_types && !HasValidType(schema)) {
      errors_.push_back(
          meta::NotSupported(Child(path, "type"), go::GoQuote(schema.type), ValidTypes()));
    }
    Forbid(schema.type == "null", path, "type",
           "type cannot be set to null, use nullable as an alternative");
    Forbid(schema.default_value && !place.no_defaults.empty(), path, "default", place.no_defaults);
    Forbid(place.is_in_resource_meta && schema.x_embedded_resource, path,
           "x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    Forbid(schema.unique_items, path, "uniqueItems",
           "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    if (schema.x_preserve_unknown_fields == false) {
      errors_.push_back(meta::Invalid(Child(path, "x-kubernetes-preserve-unknown-fields"), "false",
                                      "must be true or undefined"));
    }
  }

  void CheckUnsupported(const SchemaProps& schema, const std::string& path) {
    Forbid(!schema.id.empty(), path, "id", "id is not supported");
    Forbid(schema.additional_items != nullptr, path, "additionalItems",
           "additionalItems is not supported");
    Forbid(!schema.pattern_properties.empty(), path, "patternProperties",
           "patternProperties is not supported");
    Forbid(!schema.definitions.empty(), path, "definitions", "definitions is not supported");
    Forbid(!schema.dependencies.is_nil, path, "dependencies", "dependencies is not supported");
    Forbid(schema.ref.has_value(), path, "$ref", "$ref is not supported");
    Forbid(schema.items && !schema.items->schemas.empty(), path, "items",
           "items must be a schema object and not an array");
  }

  void WalkAdditionalProperties(const SchemaProps& schema, const std::string& path,
                                const Place& place) {
    const auto& additional = schema.additional_properties;
    if (!additional) return;
    const std::string child_path = Child(path, "additionalProperties");
    if (!schema.properties.empty() && (!additional->allows || additional->schema)) {
      errors_.push_back(
          Forbidden(child_path, "additionalProperties and properties are mutual exclusive"));
    }
    if (!additional->schema) return;
    Place child = place.Below();
    // What pruning would do to such a default depends on the metadata around it.
    if (place.is_in_resource_meta) {
      child.no_defaults = "must not be set inside additionalProperties applying to object metadata";
    }
    WalkValues(*additional->schema, child_path, child, place.context);
  }

  void WalkProperties(const SchemaProps& schema, const std::string& path, const Place& place) {
    const std::string list_path = Child(path, "properties");
    for (const auto& [name, property] : schema.properties) {
      Place child = place.Below();
      if (!schema.HasKnownMapType() && child.uncorrelatable.empty()) child.uncorrelatable = path;
      if ((place.is_root || schema.x_embedded_resource) && IsMeta(name)) {
        child.is_in_resource_meta = true;
        if (place.is_root) child.no_defaults = NoDefaultsAtRoot(name);
      }
      WalkValues(property, meta::Key(list_path, name), child, place.context);
    }
  }

  void WalkList(const schema::GoList<SchemaProps>& schemas, const std::string& path,
                const Place& place) {
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      Walk(schemas[i], meta::Index(path, i), place);
    }
  }

  void WalkOthers(const SchemaProps& schema, const std::string& path, const Place& here) {
    const Place place = here.Below();
    if (schema.not_schema) Walk(*schema.not_schema, Child(path, "not"), place);
    WalkList(schema.all_of, Child(path, "allOf"), place);
    WalkList(schema.one_of, Child(path, "oneOf"), place);
    WalkList(schema.any_of, Child(path, "anyOf"), place);
    for (const auto& [name, definition] : schema.definitions) {
      Walk(definition, meta::Key(Child(path, "definitions"), name), place);
    }
    if (schema.items) {
      Place items = place;
      // The server knows the elements of lists of type map again, and of no others.
      if (schema.x_list_type != "map" && items.uncorrelatable.empty()) items.uncorrelatable = path;
      if (schema.items->schema) {
        WalkValues(*schema.items->schema, Child(path, "items"), items, here.context);
      }
      WalkList(schema.items->schemas, Child(path, "items"), items);
    }
    for (const auto& [name, dependency] : schema.dependencies) {
      if (!dependency.schema) continue;
      Walk(*dependency.schema, meta::Key(Child(path, "dependencies"), name), place);
    }
  }

  const CrdRules& rules_;
  CelValidator* cel_;
  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> ValidateCrdSchema(const SchemaProps& schema, std::string_view path,
                                          const CrdRules& rules, CelValidator* cel) {
  CrdSchemaValidator validator(rules, cel);
  validator.WalkRoot(schema, std::string(path));
  return validator.TakeErrors();
}

std::vector<FieldError> ValidateRootBesideStatus(const SchemaProps& schema, std::string_view path) {
  const SchemaProps& s = schema;
  // The server goes through the fields of its Go type in order and stops at the first that it does
  // not like.
  if (s.id.empty() && s.schema.empty() && !s.ref && !s.type.empty() && s.type != "object") {
    return {meta::InvalidText(Child(path, "type"), s.type,
                              "only \"object\" is allowed as the type at the root of the schema "
                              "if the status subresource is enabled")};
  }
  std::string allowed;
  bool has_more = false;
  schema::ForEachKeyword([&](const auto& keyword) {
    if (keyword.Is(schema::kBesideStatus)) {
      allowed += (allowed.empty() ? "" : " ") + std::string(keyword.go_name);
    } else {
      has_more = has_more || !IsNil(schema.*keyword.member);
    }
  });
  if (!has_more) return {};
  return {meta::Invalid(std::string(path), schema::PrintGo(schema),
                        "only [" + allowed +
                            "] fields are allowed at the root of the schema if "
                            "the status subresource is enabled")};
}

bool HasValidType(const SchemaProps& schema) {
  return schema.type.empty() || std::ranges::find(ValidTypes(), schema.type) != ValidTypes().end();
}

}  // namespace kube::crd
