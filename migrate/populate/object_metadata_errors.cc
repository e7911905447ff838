#include "migrate/populate/object_metadata_errors.h"

#include "kube/meta/make_field_error.h"
#include "kube/schema/object_meta_validation.h"

namespace migrate::populate {

std::vector<kube::meta::FieldError> ClusterMetadataErrors(const kube::json::Value& metadata,
                                                          NameProblems name_problems) {
  std::vector<kube::meta::FieldError> errors;
  const std::string_view name = metadata.FindText("name");
  if (name.empty()) {
    errors.push_back(kube::meta::Required("metadata.name", "name is required"));
  } else {
    kube::meta::AppendInvalidTexts(errors, "metadata.name", name, name_problems(name));
  }
  kube::meta::Append(errors, kube::schema::ValidateObjectMeta(metadata, "metadata"));
  return errors;
}

}  // namespace migrate::populate
