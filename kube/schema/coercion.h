#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/structural.h"

/// What the API server does to an object beside pruning and defaulting.
namespace kube::schema {

/// Removes nulls at specified, not nullable fields without a default, as
/// PruneNonNullableNullsWithoutDefaults does (apiextensions pkg/apiserver/schema/defaulting).
/// Nulls in arrays stay. With `folded_paths` it appends what it dropped, indices as [*] and keys of
/// maps as .*, without a leading dot.
void DropNulls(json::Value& object, const StructuralSchema& schema,
               std::vector<std::string>* folded_paths = nullptr);

/// Passes the type meta and metadata of embedded resources through their Go types, as
/// objectmeta.Coerce does (apiextensions pkg/apiserver/schema/objectmeta). An object at the root
/// counts as one where `schema` says so or with `is_resource_root`; of a list each element does
/// where its schema says so.
///
/// With `drop_invalid_fields` (reads from etcd) bad fields vanish, but metadata that is no object
/// stays; without, the first bad one in the order of the value is returned as the server's error,
/// e.g. "spec.template.kind: Invalid value: null: must be a string". Numbers in `value` are held
/// as the server stores them (json::StoreNumbers), which is how errors quote them.
///
/// Dropped unknown fields of embedded metadata are appended to `unknown_field_paths` if given,
/// sorted, e.g. "spec.templates[0].metadata.garbage".
[[nodiscard]] std::optional<std::string> CoerceEmbedded(
    json::Value& value, const StructuralSchema& schema, bool drop_invalid_fields,
    json::Arena& arena, std::vector<std::string>* unknown_field_paths = nullptr,
    bool is_resource_root = false);

/// Removes what FindLostFields finds (pruning.h), and brings the metadata of embedded resources to
/// the form in which the server has it.
void DropLostFields(json::Value& object, const StructuralSchema* schema, json::Arena& arena);

}  // namespace kube::schema
