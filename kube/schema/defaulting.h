#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/structural.h"

namespace kube::schema {

/// The most values that defaults may add to one object: more than any etcd takes as one.
inline constexpr std::size_t kMaxAddedValues = std::size_t{1} << 22;

/// Sets the defaults of `schema` in `object` as the API server does (apiextensions
/// pkg/apiserver/schema/defaulting): absent fields and not nullable nulls get a deep copy, which is
/// then defaulted itself; parents that are absent are not made. With `folded_paths` it appends the
/// top of each value that it added, indices as [*] and keys of maps as .*.
///
/// Names of added fields are borrowed from `schema`, which must outlive `object`.
///
/// Returns false, with `object` half done, where more than kMaxAddedValues would be added: defaults
/// in the elements of defaults multiply.
[[nodiscard]] bool SetDefaults(json::Value& object, const StructuralSchema& schema,
                               json::Arena& arena,
                               std::vector<std::string>* folded_paths = nullptr);

/// Prunes and coerces the defaults themselves, as the server does before it serves a version
/// (PruneDefaults): unknown fields in a default go, nulls stay. `arena` must outlive `schema`.
/// Returns the server's error if a default cannot be coerced.
[[nodiscard]] std::optional<std::string> PruneDefaults(StructuralSchema& schema,
                                                       json::Arena& arena);

/// What ReadBySchema changed beside pruning, in the form of SetDefaults and DropNulls.
struct SchemaReadNotes {
  std::vector<std::string> added_defaults, dropped_nulls;
};

/// Makes of an object what a server that prunes shows of it by `schema`: unknown fields go, then
/// nulls, then defaults come. By a null pointer everything that is not metadata goes.
///
/// Returns false as SetDefaults does. The server's whole way with an object, its metadata and
/// versions, is crd::CustomResourceServer's.
[[nodiscard]] bool ReadBySchema(json::Value& object, const StructuralSchema* schema,
                                json::Arena& arena, SchemaReadNotes* notes = nullptr);

}  // namespace kube::schema
