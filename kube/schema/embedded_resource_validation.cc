#include "kube/schema/embedded_resource_validation.h"

#include <algorithm>
#include <string>

#include "kube/base/text.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "kube/schema/object_meta.h"
#include "kube/schema/object_meta_validation.h"

namespace kube::schema {
namespace {

void ValidateApiVersion(const json::Value& value, const std::string& path,
                        std::vector<meta::FieldError>& errors) {
  const std::string_view text = value.text();
  if (!value.is_string()) {
    errors.push_back(meta::Invalid(path, meta::PrintBadValue(value), "must be a string"));
  } else if (text.empty()) {
    errors.push_back(meta::InvalidText(path, text, "must not be empty"));
  } else if (std::count(text.begin(), text.end(), '/') > 1) {
    errors.push_back(
        meta::InvalidText(path, text, "unexpected GroupVersion string: " + std::string(text)));
  }
}

void ValidateKind(const json::Value& value, const std::string& path,
                  std::vector<meta::FieldError>& errors) {
  const std::string_view text = value.text();
  if (!value.is_string()) {
    errors.push_back(meta::Invalid(path, meta::PrintBadValue(value), "must be a string"));
  } else if (text.empty()) {
    errors.push_back(meta::InvalidText(path, text, "must not be empty"));
  } else if (const auto problems = meta::Dns1035LabelProblems(meta::ToLowerForDns(text));
             !problems.empty()) {
    errors.push_back(meta::InvalidText(
        path, text,
        "may have mixed case, but should otherwise match: " + base::Join(problems, ",")));
  }
}

/// The name may be missing; a namespace may be there, then it must be one.
void ValidateNames(const json::Value& metadata, const std::string& path,
                   std::vector<meta::FieldError>& errors) {
  const std::string_view generate_name = metadata.FindText("generateName");
  meta::AppendInvalidTexts(errors, meta::Child(path, "generateName"), generate_name,
                           meta::PathSegmentProblems(generate_name, /*is_prefix=*/true));
  const std::string_view name = metadata.FindText("name");
  meta::AppendInvalidTexts(errors, meta::Child(path, "name"), name,
                           meta::PathSegmentProblems(name, /*is_prefix=*/false));
  const std::string_view name_space = metadata.FindText("namespace");
  if (name_space.empty()) return;
  meta::AppendInvalidTexts(errors, meta::Child(path, "namespace"), name_space,
                           meta::Dns1123LabelProblems(name_space));
}

void ValidateMetadata(const json::Value& resource, const json::Value& written,
                      const std::string& path, std::vector<meta::FieldError>& errors) {
  json::Arena arena;
  const auto metadata = GetObjectMeta(resource, /*drop_invalid_fields=*/false, arena);
  if (!metadata) {
    errors.push_back(meta::Invalid(path, meta::PrintBadValue(written), metadata.error()));
    return;
  }
  if (!*metadata) return;
  ValidateNames((*metadata)->metadata, path, errors);
  meta::Append(errors, ValidateObjectMeta((*metadata)->metadata, path));
}

void ValidateResource(const json::Value& resource, const std::string& path,
                      std::vector<meta::FieldError>& errors) {
  if (const json::Value* api_version = resource.Find("apiVersion")) {
    ValidateApiVersion(*api_version, meta::Child(path, "apiVersion"), errors);
  } else {
    errors.push_back(meta::Required(meta::Child(path, "apiVersion")));
  }
  if (const json::Value* kind = resource.Find("kind")) {
    ValidateKind(*kind, meta::Child(path, "kind"), errors);
  } else {
    errors.push_back(meta::Required(meta::Child(path, "kind")));
  }
  if (const json::Value* metadata = resource.Find("metadata")) {
    ValidateMetadata(resource, *metadata, meta::Child(path, "metadata"), errors);
  }
}

void Walk(const json::Value& value, const StructuralSchema& schema, const std::string& path,
          bool is_resource, std::vector<meta::FieldError>& errors) {
  if (!is_resource && !schema.may_have_embedded) return;
  if (value.is_object() && is_resource) ValidateResource(value, path, errors);
  for (const json::Member& member : value.members()) {
    const std::string_view key = member.key.text();
    if (const StructuralSchema* property = schema.FindProperty(key)) {
      Walk(member.value, *property, meta::Child(path, key), property->embedded_resource, errors);
    } else if (const StructuralSchema* additional = schema.additional_schema.get()) {
      Walk(member.value, *additional, meta::Key(path, key), additional->embedded_resource, errors);
    }
  }
  for (std::size_t i = 0; schema.items && i < value.elements().size(); ++i) {
    Walk(value.elements()[i], *schema.items, meta::Index(path, i), schema.items->embedded_resource,
         errors);
  }
}

}  // namespace

std::vector<meta::FieldError> ValidateEmbeddedResources(const json::Value& value,
                                                        const StructuralSchema& schema,
                                                        std::string_view path,
                                                        bool is_resource_root) {
  std::vector<meta::FieldError> errors;
  Walk(value, schema, std::string(path), is_resource_root || schema.embedded_resource, errors);
  return errors;
}

}  // namespace kube::schema
