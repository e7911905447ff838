#pragma once

#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/structural.h"

namespace kube::schema {

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
