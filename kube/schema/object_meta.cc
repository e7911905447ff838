#include "kube/schema/object_meta.h"

#include <algorithm>
#include <span>

#include "kube/go/go_struct.h"

namespace kube::schema {
namespace {

using json::Arena;
using json::Value;

// metav1.ObjectMeta and what it holds, as of Kubernetes 1.36
// (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).

constexpr go::GoField kOwnerReferenceFields[] = {
    {"apiVersion", go::GoKind::kString, "string", true},
    {"blockOwnerDeletion", go::GoKind::kBoolPointer, "bool"},
    {"controller", go::GoKind::kBoolPointer, "bool"},
    {"kind", go::GoKind::kString, "string", true},
    {"name", go::GoKind::kString, "string", true},
    {"uid", go::GoKind::kString, "types.UID", true},
};
constexpr go::GoStruct kOwnerReference = {"OwnerReference", "v1.OwnerReference",
                                          kOwnerReferenceFields};

constexpr go::GoField kManagedFieldsFields[] = {
    {"apiVersion", go::GoKind::kString, "string"},
    {"fieldsType", go::GoKind::kString, "string"},
    {"fieldsV1", go::GoKind::kRawJson, "v1.FieldsV1"},
    {"manager", go::GoKind::kString, "string"},
    {"operation", go::GoKind::kString, "v1.ManagedFieldsOperationType"},
    {"subresource", go::GoKind::kString, "string"},
    {"time", go::GoKind::kTimePointer, "v1.Time"},
};
constexpr go::GoStruct kManagedFieldsEntry = {"ManagedFieldsEntry", "v1.ManagedFieldsEntry",
                                              kManagedFieldsFields};

constexpr go::GoField kObjectMetaFields[] = {
    {"annotations", go::GoKind::kStringMap, "map[string]string"},
    {"creationTimestamp", go::GoKind::kTime, "v1.Time"},
    {"deletionGracePeriodSeconds", go::GoKind::kInt64Pointer, "int64"},
    {"deletionTimestamp", go::GoKind::kTimePointer, "v1.Time"},
    {"finalizers", go::GoKind::kStringList, "[]string"},
    {"generateName", go::GoKind::kString, "string"},
    {"generation", go::GoKind::kInt64, "int64"},
    {"labels", go::GoKind::kStringMap, "map[string]string"},
    {"managedFields", go::GoKind::kStructList, "[]v1.ManagedFieldsEntry", false,
     &kManagedFieldsEntry},
    {"name", go::GoKind::kString, "string"},
    {"namespace", go::GoKind::kString, "string"},
    {"ownerReferences", go::GoKind::kStructList, "[]v1.OwnerReference", false, &kOwnerReference},
    {"resourceVersion", go::GoKind::kString, "string"},
    {"selfLink", go::GoKind::kString, "string"},
    {"uid", go::GoKind::kString, "types.UID"},
};
constexpr go::GoStruct kObjectMeta = {"ObjectMeta", "v1.ObjectMeta", kObjectMetaFields};

void AddUnknownFields(const std::vector<std::string>& fields, ObjectMeta& meta) {
  for (const std::string& field : fields) meta.unknown_field_paths.push_back("metadata." + field);
  std::ranges::sort(meta.unknown_field_paths);
}

/// Reads one field after the other and keeps those that can be read.
ObjectMeta KeepValidFields(const Value& metadata, Arena& arena) {
  ObjectMeta meta{.metadata = Value::Object(), .unknown_field_paths = {}};
  std::vector<std::string> unknown_fields;
  for (const json::Member& member : metadata.members()) {
    Value single = Value::Object();
    single.Set(member.key.text(), member.value, arena);
    const go::GoRoundTrip decoded = go::RoundTrip(single, kObjectMeta, arena);
    if (decoded.error) continue;
    for (const json::Member& kept : decoded.value.members()) {
      meta.metadata.Set(kept.key.text(), kept.value, arena);
    }
    unknown_fields.insert(unknown_fields.end(), decoded.unknown_fields.begin(),
                          decoded.unknown_fields.end());
  }
  AddUnknownFields(unknown_fields, meta);
  return meta;
}

}  // namespace

base::Result<std::optional<ObjectMeta>, std::string> GetObjectMeta(const Value& object,
                                                                   bool drop_invalid_fields,
                                                                   Arena& arena) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return std::optional<ObjectMeta>();
  go::GoRoundTrip decoded = go::RoundTrip(*metadata, kObjectMeta, arena);
  if (!decoded.error) {
    ObjectMeta meta{.metadata = decoded.value, .unknown_field_paths = {}};
    AddUnknownFields(decoded.unknown_fields, meta);
    return std::optional(std::move(meta));
  }
  if (!drop_invalid_fields) return base::Unexpected(std::move(*decoded.error));
  if (!metadata->is_object()) {
    return base::Unexpected("invalid metadata: expected object, got " +
                            std::string(json::GoTypeName(*metadata)));
  }
  return std::optional(KeepValidFields(*metadata, arena));
}

bool IsObjectMetaField(std::string_view name, std::string_view list) {
  std::span<const go::GoField> fields = kObjectMetaFields;
  if (list == "ownerReferences") fields = kOwnerReferenceFields;
  if (list == "managedFields") fields = kManagedFieldsFields;
  return std::ranges::any_of(fields,
                             [name](const go::GoField& field) { return field.name == name; });
}

}  // namespace kube::schema
