#include <algorithm>
#include <set>
#include <string>

#include "kube/crd/crd_schema_validation.h"
#include "kube/crd/crd_spec_validation.h"
#include "kube/meta/make_field_error.h"
#include "kube/schema/default_validation.h"
#include "kube/schema/json_path.h"
#include "kube/schema/structural.h"
#include "kube/schema/validation.h"

namespace kube::crd {
namespace {

using kube::meta::Child;
using kube::meta::FieldError;
using kube::meta::InvalidText;
using kube::meta::Required;
using schema::SchemaProps;

void AddAll(std::vector<CrdFinding>& findings, std::vector<FieldError> errors, bool structural) {
  for (FieldError& error : errors) findings.push_back({std::move(error), structural});
}

/// The structural rules, then, if they hold, the defaults. A schema that cannot be converted is
/// reported only where nothing else is: other rules forbid most of the keywords that are to blame.
class SchemaValidator {
 public:
  SchemaValidator(const SchemaProps& schema, std::string path, const CrdRules& rules,
                  schema::PatternChecks& patterns, bool is_unchanged)
      : schema_(schema),
        path_(std::move(path)),
        rules_(rules),
        patterns_(patterns),
        cel_({rules.server, rules.known_expressions, is_unchanged}) {}

  std::vector<CrdFinding> Validate(bool has_status) {
    if (has_status) AddAll(findings_, ValidateRootBesideStatus(schema_, path_), false);
    if (schema_.nullable) {
      findings_.push_back(
          {meta::Forbidden(Child(path_, "nullable"), "nullable cannot be true at the root"),
           false});
    }
    const auto conversion_error =
        rules_.require_structural ? schema::ConversionError(schema_) : std::nullopt;
    const bool is_right = rules_.require_structural && !conversion_error && ValidateStructure();
    CelValidator* cel = is_right && !(rules_.server < schema::kFirstRuleRelease) ? &cel_ : nullptr;
    AddAll(findings_, ValidateCrdSchema(schema_, path_, rules_, cel), false);
    if (findings_.empty() && conversion_error) {
      findings_.push_back({InvalidText(path_, "", *conversion_error), true});
    }
    return std::move(findings_);
  }

 private:
  /// True if nothing was found.
  bool ValidateStructure() {
    std::vector<FieldError> errors = schema::ValidateStructural(schema_, path_);
    const bool is_structural = errors.empty();
    if (is_structural) {
      errors = schema::ValidateDefaults(
          schema_, path_,
          {.require_pruned = rules_.require_pruned_defaults, .server = rules_.server}, patterns_);
    }
    const bool is_right = errors.empty();
    AddAll(findings_, std::move(errors), !is_structural);
    return is_right;
  }

  const SchemaProps& schema_;
  const std::string path_;
  const CrdRules& rules_;
  schema::PatternChecks& patterns_;
  CelValidator cel_;
  std::vector<CrdFinding> findings_;
};

void CheckReplicasPath(std::string_view json_path, const std::string& path, std::string_view prefix,
                       std::string_view detail, std::vector<FieldError>& errors) {
  if (!json_path.starts_with('.')) {
    errors.push_back(InvalidText(path, json_path, "must be a simple json path starting with ."));
  } else if (!json_path.starts_with(prefix)) {
    errors.push_back(InvalidText(path, json_path, detail));
  }
}

void ValidateLabelSelectorPath(std::string_view json_path, const std::string& path,
                               std::vector<FieldError>& errors) {
  if (json_path.empty()) return;
  if (!json_path.starts_with('.')) {
    errors.push_back(InvalidText(path, json_path, "must be a simple json path starting with ."));
  } else if (!json_path.starts_with(".spec.") && !json_path.starts_with(".status.")) {
    errors.push_back(meta::Invalid(path, meta::PrintJsonText(json_path),
                                   "should be a json path under either .spec or .status"));
  }
}

void ValidateScale(const ScaleSubresource& scale, const std::string& path,
                   std::vector<FieldError>& errors) {
  const std::string spec_path = Child(path, "specReplicasPath");
  if (scale.spec_replicas_path.empty()) {
    errors.push_back(Required(spec_path));
  } else {
    CheckReplicasPath(scale.spec_replicas_path, spec_path, ".spec.",
                      "should be a json path under .spec", errors);
  }
  const std::string status_path = Child(path, "statusReplicasPath");
  if (scale.status_replicas_path.empty()) {
    errors.push_back(Required(status_path));
  } else {
    CheckReplicasPath(scale.status_replicas_path, status_path, ".status.",
                      "should be a json path under .status", errors);
  }
  ValidateLabelSelectorPath(scale.label_selector_path.value_or(""),
                            Child(path, "labelSelectorPath"), errors);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, text) != texts.end();
}

void ValidateColumn(const PrinterColumn& column, const std::string& path,
                    std::vector<FieldError>& errors) {
  constexpr std::string_view kTypes = "must be one of boolean,date,integer,number,string";
  if (column.name.empty()) errors.push_back(Required(Child(path, "name")));
  if (column.type.empty()) {
    errors.push_back(Required(Child(path, "type"), kTypes));
  } else if (!IsOneOf(column.type, {"boolean", "date", "integer", "number", "string"})) {
    errors.push_back(InvalidText(Child(path, "type"), column.type, kTypes));
  }
  if (!column.format.empty() && !IsOneOf(column.format, {"byte", "date", "date-time", "double",
                                                         "float", "int32", "int64", "password"})) {
    errors.push_back(
        InvalidText(Child(path, "format"), column.format,
                    "must be one of byte,date,date-time,double,float,int32,int64,password"));
  }
  if (column.json_path.empty()) {
    errors.push_back(Required(Child(path, "JSONPath")));
  } else if (!column.json_path.starts_with('.')) {
    errors.push_back(InvalidText(Child(path, "JSONPath"), column.json_path,
                                 "must be a simple json path starting with ."));
  }
}

/// Checks one selectable field; `seen` are the fields before it.
void ValidateSelectableField(std::string_view json_path, const SchemaProps* schema,
                             const std::string& path, std::set<std::string>& seen,
                             std::vector<FieldError>& errors) {
  if (json_path.empty()) {
    errors.push_back(Required(path));
    return;
  }
  const auto target = schema::FollowJsonPath(json_path, schema, /*allow_array_notation=*/false);
  if (!target) {
    errors.push_back(InvalidText(path, json_path, "is an invalid path: " + target.error()));
    return;
  }
  if (target->first == "metadata") {
    errors.push_back(InvalidText(path, json_path, "must not point to fields in metadata"));
  }
  if (!target->schema || !IsOneOf(target->schema->type, {"string", "boolean", "integer"})) {
    errors.push_back(InvalidText(path, json_path,
                                 "must point to a field of type string, boolean or integer. Enum "
                                 "string fields and strings with formats are allowed."));
  }
  if (!seen.insert(target->path).second) {
    errors.push_back(meta::Duplicate(path, meta::PrintBadValue(json::Value::String(json_path))));
  }
}

void ValidateSelectableFields(const VersionSettings& settings, std::string_view path,
                              std::string_view version, const CrdRules& rules,
                              std::vector<FieldError>& errors) {
  if (!settings.selectable_fields || settings.selectable_fields->empty()) return;
  const std::string list_path = Child(path, "selectableFields");
  if (path == "spec" && !settings.has_validation) {
    errors.push_back(
        InvalidText(list_path, "", "may only be set when validations.schema is included"));
    return;
  }
  if (path != "spec" && !settings.schema) {
    errors.push_back(InvalidText(
        list_path, "", "may only be set when `version.schema.openAPIV3Schema` is not included"));
    return;
  }
  const SchemaProps* root = settings.schema.get();
  if (const auto conversion_error = root ? schema::ConversionError(*root) : std::nullopt) {
    errors.push_back(InvalidText(Child(path, "schema.openAPIV3Schema"), "", *conversion_error));
    root = nullptr;
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < settings.selectable_fields->size(); ++i) {
    ValidateSelectableField((*settings.selectable_fields)[i], root,
                            Child(meta::Index(list_path, i), "jsonPath"), seen, errors);
  }
  if (seen.size() > kMostSelectableFields &&
      !rules.allow_too_many_selectable_fields.contains(version)) {
    errors.push_back(
        meta::TooMany(list_path, static_cast<std::int64_t>(seen.size()), kMostSelectableFields));
  }
}

}  // namespace

void ValidateSettings(const VersionSettings& settings, std::string_view path,
                      std::string_view version, bool has_status, const CrdRules& rules,
                      schema::PatternChecks& patterns, std::vector<CrdFinding>& findings) {
  if (settings.schema) {
    const std::string_view name = path == "spec" ? "validation" : "schema";
    SchemaValidator validator(*settings.schema, Child(Child(path, name), "openAPIV3Schema"), rules,
                              patterns, rules.unchanged_versions.contains(version));
    for (CrdFinding& finding : validator.Validate(has_status)) {
      findings.push_back(std::move(finding));
    }
  }
  std::vector<FieldError> errors;
  if (settings.subresources && settings.subresources->scale) {
    ValidateScale(*settings.subresources->scale, Child(path, "subresources.scale"), errors);
  }
  for (std::size_t i = 0; settings.printer_columns && i < settings.printer_columns->size(); ++i) {
    ValidateColumn((*settings.printer_columns)[i],
                   meta::Index(Child(path, "additionalPrinterColumns"), i), errors);
  }
  ValidateSelectableFields(settings, path, version, rules, errors);
  AddAll(findings, std::move(errors), false);
}

}  // namespace kube::crd
