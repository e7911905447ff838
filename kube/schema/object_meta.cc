#include "kube/schema/object_meta.h"

#include <algorithm>

#include "kube/go/go_struct.h"

namespace kube::schema {
namespace {

using json::Arena;
using json::Value;

// metav1.ObjectMeta and what it holds, as of Kubernetes 1.36
// (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).

constexpr GoField kOwnerReferenceFields[] = {
    {"apiVersion", GoKind::kString, "string", true},
    {"blockOwnerDeletion", GoKind::kBoolPointer, "bool"},
    {"controller", GoKind::kBoolPointer, "bool"},
    {"kind", GoKind::kString, "string", true},
    {"name", GoKind::kString, "string", true},
    {"uid", GoKind::kString, "types.UID", true},
};
constexpr GoStruct kOwnerReference = {"OwnerReference", "v1.OwnerReference", kOwnerReferenceFields};

constexpr GoField kManagedFieldsFields[] = {
    {"apiVersion", GoKind::kString, "string"},
    {"fieldsType", GoKind::kString, "string"},
    {"fieldsV1", GoKind::kRawJson, "v1.FieldsV1"},
    {"manager", GoKind::kString, "string"},
    {"operation", GoKind::kString, "v1.ManagedFieldsOperationType"},
    {"subresource", GoKind::kString, "string"},
    {"time", GoKind::kTimePointer, "v1.Time"},
};
constexpr GoStruct kManagedFieldsEntry = {"ManagedFieldsEntry", "v1.ManagedFieldsEntry",
                                          kManagedFieldsFields};

constexpr GoField kObjectMetaFields[] = {
    {"annotations", GoKind::kStringMap, "map[string]string"},
    {"creationTimestamp", GoKind::kTime, "v1.Time"},
    {"deletionGracePeriodSeconds", GoKind::kInt64Pointer, "int64"},
    {"deletionTimestamp", GoKind::kTimePointer, "v1.Time"},
    {"finalizers", GoKind::kStringList, "[]string"},
    {"generateName", GoKind::kString, "string"},
    {"generation", GoKind::kInt64, "int64"},
    {"labels", GoKind::kStringMap, "map[string]string"},
    {"managedFields", GoKind::kStructList, "[]v1.ManagedFieldsEntry", false, &kManagedFieldsEntry},
    {"name", GoKind::kString, "string"},
    {"namespace", GoKind::kString, "string"},
    {"ownerReferences", GoKind::kStructList, "[]v1.OwnerReference", false, &kOwnerReference},
    {"resourceVersion", GoKind::kString, "string"},
    {"selfLink", GoKind::kString, "string"},
    {"uid", GoKind::kString, "types.UID"},
};
constexpr GoStruct kObjectMeta = {"ObjectMeta", "v1.ObjectMeta", kObjectMetaFields};

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
    const GoRoundTrip decoded = RoundTrip(single, kObjectMeta, arena);
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

Result<std::optional<ObjectMeta>, std::string> GetObjectMeta(const Value& object,
                                                             bool drop_invalid_fields,
                                                             Arena& arena) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return std::optional<ObjectMeta>();
  GoRoundTrip decoded = RoundTrip(*metadata, kObjectMeta, arena);
  if (!decoded.error) {
    ObjectMeta meta{.metadata = decoded.value, .unknown_field_paths = {}};
    AddUnknownFields(decoded.unknown_fields, meta);
    return std::optional(std::move(meta));
  }
  if (!drop_invalid_fields) return Unexpected(std::move(*decoded.error));
  if (!metadata->is_object()) {
    return Unexpected("invalid metadata: expected object, got " +
                      std::string(json::GoTypeName(*metadata)));
  }
  return std::optional(KeepValidFields(*metadata, arena));
}

}  // namespace kube::schema
