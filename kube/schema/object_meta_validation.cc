#include "kube/schema/object_meta_validation.h"

#include <algorithm>

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "kube/go/go_printable.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"

namespace kube::schema {
namespace {

constexpr std::size_t kMostAnnotationBytes = 256 * 1024;
constexpr std::size_t kMostManagerBytes = 128;
constexpr std::size_t kMostSubresourceBytes = 256;

void ValidateGeneration(const json::Value& metadata, std::string_view path,
                        std::vector<meta::FieldError>& errors) {
  const auto generation = json::AsInt64(metadata.At("generation"));
  if (!generation || *generation >= 0) return;
  errors.push_back(meta::Invalid(meta::Child(path, "generation"), std::to_string(*generation),
                                 "must be greater than or equal to 0"));
}

void ValidateLabels(const json::Value& labels, const std::string& path,
                    std::vector<meta::FieldError>& errors) {
  for (const json::Member& label : labels.members()) {
    meta::AppendInvalidTexts(errors, path, label.key.text(),
                             meta::LabelKeyProblems(label.key.text()));
    meta::AppendInvalidTexts(errors, path, label.value.text(),
                             meta::LabelValueProblems(label.value.text()));
  }
}

void ValidateAnnotations(const json::Value& annotations, const std::string& path,
                         std::vector<meta::FieldError>& errors) {
  std::size_t bytes = 0;
  for (const json::Member& annotation : annotations.members()) {
    const std::string_view key = annotation.key.text();
    meta::AppendInvalidTexts(errors, path, key, meta::LabelKeyProblems(meta::ToLowerForDns(key)));
    bytes += key.size() + annotation.value.text().size();
  }
  if (bytes > kMostAnnotationBytes) errors.push_back(meta::TooLong(path, kMostAnnotationBytes));
}

/// metav1.OwnerReference as JSON.
std::string PrintOwnerReference(const json::Value& owner) {
  std::string printed = "{";
  for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
    if (printed.size() > 1) printed += ',';
    printed.append(meta::PrintJsonText(key))
        .append(":")
        .append(meta::PrintJsonText(owner.FindText(key)));
  }
  for (const std::string_view key : {"controller", "blockOwnerDeletion"}) {
    const json::Value& value = owner.At(key);
    if (value.is_bool()) printed.append(",\"").append(key).append("\":").append(json::Print(value));
  }
  return printed + "}";
}

void ValidateOwner(const json::Value& owner, const std::string& path,
                   std::vector<meta::FieldError>& errors) {
  const std::string_view api_version = owner.FindText("apiVersion");
  const auto parsed = meta::ParseGroupVersion(api_version);
  const auto [group, version] = parsed ? *parsed : meta::GroupVersion();
  if (version.empty()) {
    errors.push_back(meta::InvalidText(meta::Child(path, "apiVersion"), api_version,
                                       "version must not be empty"));
  }
  for (const std::string_view key : {"kind", "name", "uid"}) {
    if (owner.FindText(key).empty()) {
      errors.push_back(meta::InvalidText(meta::Child(path, key), "", "must not be empty"));
    }
  }
  if (group.empty() && version == "v1" && owner.FindText("kind") == "Event") {
    errors.push_back(meta::Invalid(path, PrintOwnerReference(owner),
                                   "/v1, Kind=Event is disallowed from being an owner"));
  }
}

std::string PrintOwnerReferences(const json::Value& owners) {
  std::string printed = "[";
  for (const json::Value& owner : owners.elements()) {
    if (printed.size() > 1) printed += ',';
    printed += PrintOwnerReference(owner);
  }
  return printed + "]";
}

void ValidateOwners(const json::Value& owners, const std::string& path,
                    std::vector<meta::FieldError>& errors) {
  std::string first_controller;
  for (const json::Value& owner : owners.elements()) {
    ValidateOwner(owner, path, errors);
    if (!owner.At("controller").is_true()) continue;
    std::string name(owner.FindText("kind"));
    name.append("/").append(owner.FindText("name"));
    if (first_controller.empty()) {
      first_controller = name;
      continue;
    }
    errors.push_back(
        meta::Invalid(path, PrintOwnerReferences(owners),
                      "Only one reference can have Controller set to true. Found \"true\" "
                      "in references for " +
                          first_controller + " and " + name));
  }
}

void ValidateFinalizers(const json::Value& finalizers, const std::string& path,
                        std::vector<meta::FieldError>& errors) {
  bool orphans = false;
  bool deletes = false;
  for (const json::Value& finalizer : finalizers.elements()) {
    meta::AppendInvalidTexts(errors, path, finalizer.text(),
                             meta::LabelKeyProblems(finalizer.text()));
    orphans = orphans || finalizer.text() == "orphan";
    deletes = deletes || finalizer.text() == "foregroundDeletion";
  }
  if (orphans && deletes) {
    errors.push_back(meta::Invalid(path, meta::PrintAsJson(finalizers),
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

/// fmt's %#U of a character that cannot be printed.
std::string PrintCodePoint(char32_t rune) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string digits;
  for (; rune > 0 || digits.size() < 4; rune >>= 4) digits.insert(0, 1, kHex[rune & 15]);
  return "U+" + digits;
}

void ValidateManager(std::string_view manager, const std::string& path,
                     std::vector<meta::FieldError>& errors) {
  if (manager.size() > kMostManagerBytes) errors.push_back(meta::TooLong(path, kMostManagerBytes));
  for (std::size_t i = 0; i < manager.size();) {
    const base::Rune rune = base::DecodeRune(manager.substr(i));
    if (!go::IsGoPrintable(rune.value)) {
      errors.push_back(meta::InvalidText(path, manager,
                                         "invalid character " + PrintCodePoint(rune.value) +
                                             " (at position " + std::to_string(i) + ")"));
    }
    i += rune.size;
  }
}

void ValidateManagedFields(const json::Value& entries, const std::string& list_path,
                           std::vector<meta::FieldError>& errors) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const json::Value& entry = entries.elements()[i];
    const std::string path = meta::Index(list_path, i);
    const std::string_view operation = entry.FindText("operation");
    if (operation != "Apply" && operation != "Update") {
      errors.push_back(meta::Invalid(meta::Child(path, "operation"), meta::PrintJsonText(operation),
                                     "must be `Apply` or `Update`"));
    }
    const std::string_view type = entry.FindText("fieldsType");
    if (!type.empty() && type != "FieldsV1") {
      errors.push_back(
          meta::InvalidText(meta::Child(path, "fieldsType"), type, "must be `FieldsV1`"));
    }
    ValidateManager(entry.FindText("manager"), meta::Child(path, "manager"), errors);
    if (entry.FindText("subresource").size() > kMostSubresourceBytes) {
      errors.push_back(meta::TooLong(meta::Child(path, "subresource"), kMostSubresourceBytes));
    }
  }
}

}  // namespace

std::vector<meta::FieldError> ValidateObjectMetaUpdate(const json::Value& metadata,
                                                       std::string_view path) {
  std::vector<meta::FieldError> errors;
  ValidateLabels(metadata.At("labels"), meta::Child(path, "labels"), errors);
  ValidateAnnotations(metadata.At("annotations"), meta::Child(path, "annotations"), errors);
  ValidateOwners(metadata.At("ownerReferences"), meta::Child(path, "ownerReferences"), errors);
  ValidateManagedFields(metadata.At("managedFields"), meta::Child(path, "managedFields"), errors);
  return errors;
}

std::vector<meta::FieldError> ValidateObjectMeta(const json::Value& metadata,
                                                 std::string_view path) {
  std::vector<meta::FieldError> errors;
  ValidateGeneration(metadata, path, errors);
  ValidateLabels(metadata.At("labels"), meta::Child(path, "labels"), errors);
  ValidateAnnotations(metadata.At("annotations"), meta::Child(path, "annotations"), errors);
  ValidateOwners(metadata.At("ownerReferences"), meta::Child(path, "ownerReferences"), errors);
  ValidateFinalizers(metadata.At("finalizers"), meta::Child(path, "finalizers"), errors);
  ValidateManagedFields(metadata.At("managedFields"), meta::Child(path, "managedFields"), errors);
  return errors;
}

}  // namespace kube::schema
