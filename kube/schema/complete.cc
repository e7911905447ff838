#include "kube/schema/complete.h"

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

}  // namespace kube::schema
