#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/object_path.h"
#include "kube/schema/structural.h"

namespace kube::schema {

/// Removes the fields of `object` that `schema` does not specify, as the API server does before it
/// stores an object and after it reads one (apiextensions pkg/apiserver/schema/pruning). Returns
/// the paths removed, sorted bytewise, e.g. "spec.rules[1].host"; of a removed subtree only its
/// top.
///
/// `schema` null means that nothing is specified. At a resource root apiVersion, kind and metadata
/// are kept whatever the schema says. An empty result means that storing `object` loses nothing.
/// `object` is changed in place; `schema` must outlive only the call.
std::vector<std::string> Prune(json::Value& object, const StructuralSchema* schema,
                               bool is_resource_root);
/// The same without the paths, which can be far larger than the object.
void DropUnknownFields(json::Value& object, const StructuralSchema* schema, bool is_resource_root);

/// One step of the way to a field: the key of an object or the index in an array.
struct PathElement {
  std::string_view key;
  std::size_t index = 0;
  bool is_index = false;
};

/// A field that pruning removes. Everything in it holds during the call only.
struct UnknownField {
  /// For counting: indices as [*], keys of maps as .*; names as kube::meta::AppendPathName has
  /// them.
  std::string_view folded_path;
  std::span<const PathElement> elements;  ///< the way from the root, step by step
  const json::Value& value;

  /// As the server records it, e.g. "spec.ports[0].proto". Made anew: a key above many unknown
  /// fields may be as long as the object.
  std::string Path() const;
  /// The same for people, with names as kube::meta::AppendPathName has them.
  std::string QuotedPath() const;
  /// `elements` as steps, each of which points to the one before it; names are keys.
  std::vector<meta::PathStep> Steps() const;
};

/// Is told each field that pruning removes, in the order of the object.
class UnknownFieldSink {
 public:
  virtual ~UnknownFieldSink() = default;
  virtual void OnUnknownField(const UnknownField& field) = 0;
};

/// Finds what Prune would remove, without changing `object`.
void FindUnknownFields(const json::Value& object, const StructuralSchema* schema,
                       bool is_resource_root, UnknownFieldSink& sink);

/// Finds all that a resource loses when a server that prunes by `schema` reads it: what Prune would
/// remove, and what CoerceEmbedded drops of embedded resources, that is unknown fields of their
/// metadata, fields of it whose values are of a wrong type, and an apiVersion or kind that is no
/// text. Not of the resource's own metadata, which loses the same under any schema.
void FindLostFields(const json::Value& object, const StructuralSchema* schema,
                    UnknownFieldSink& sink);

/// Whether pruning by `schema` keeps fields at a folded path ("spec.ports[*].name"). A name that
/// the path has to quote is none that is known.
bool KeepsPath(const StructuralSchema& schema, std::string_view path);

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
