#pragma once

#include <vector>

#include "kube/json/json.h"
#include "kube/schema/pruning.h"

namespace kube::schema {

/// A part of the metadata of an embedded resource that its way through metav1.ObjectMeta drops.
struct DroppedMetadata {
  std::vector<PathElement> way;  ///< from the metadata to it, at least one step
  const json::Value* value;      ///< never null
};

/// What a read from etcd drops of `metadata` (GetObjectMeta with drop_invalid_fields), in the order
/// of the object: fields that ObjectMeta does not know, at any depth, and fields of it with a value
/// of a wrong type. Not what says nothing: null, zero, and empty texts, lists and objects, of
/// fields that it knows. Nothing where `metadata` is no object, with which the server cannot read
/// the object.
///
/// Borrows from `metadata`.
std::vector<DroppedMetadata> FindDroppedMetadata(const json::Value& metadata);

}  // namespace kube::schema
