#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"

namespace kube::schema {

/// What reading `metadata` through metav1.ObjectMeta made of it.
struct ObjectMeta {
  /// The metadata as Kubernetes prints it again: known fields only, empty ones gone, times in UTC
  /// seconds, keys sorted. Lives in the arena that was given and borrows text and fieldsV1 from the
  /// object.
  json::Value metadata;
  /// Fields that ObjectMeta does not know, at any depth, sorted: "metadata.clusterName",
  /// "metadata.ownerReferences[0].foo". The API server tells the first 100 only.
  std::vector<std::string> unknown_field_paths;
};

/// Reads the metadata of `object` as the API server does (apiextensions
/// pkg/apiserver/schema/objectmeta/coerce.go, GetObjectMeta). Absent where there is no metadata.
///
/// With `drop_invalid_fields` (reads from etcd) a top-level field of metadata with a value of a
/// wrong type is dropped whole; without (requests) it is an error in Go's words, e.g. "json: cannot
/// unmarshal number into Go struct field ObjectMeta.labels of type string". Metadata that is no
/// object at all is an error in both cases; null is not, it is empty metadata.
base::Result<std::optional<ObjectMeta>, std::string> GetObjectMeta(const json::Value& object,
                                                                   bool drop_invalid_fields,
                                                                   json::Arena& arena);

/// True if ObjectMeta has a field of this name; with `list`, "ownerReferences" or "managedFields",
/// if the elements of that field have.
bool IsObjectMetaField(std::string_view name, std::string_view list = {});

}  // namespace kube::schema
