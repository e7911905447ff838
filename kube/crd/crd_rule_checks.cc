#include <algorithm>
#include <string>

#include "kube/crd/crd_schema_validation.h"
#include "kube/go/go_printable.h"
#include "kube/meta/make_field_error.h"
#include "kube/schema/json_path.h"
#include "kube/schema/structural.h"

namespace kube::crd {
namespace {

using kube::go::TrimGoSpace;
using kube::meta::Child;
using kube::meta::FieldError;
using schema::SchemaProps;

bool HasLineBreaks(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

void CheckMessage(const schema::ValidationRule& rule, const std::string& path,
                  std::vector<FieldError>& errors) {
  const std::string_view trimmed_rule = TrimGoSpace(rule.rule);
  const std::string_view trimmed_message = TrimGoSpace(rule.message);
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
  if (!rule.message_expression.empty() && TrimGoSpace(rule.message_expression).empty()) {
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
  if (TrimGoSpace(rule.field_path).empty()) {
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

}  // namespace kube::crd
