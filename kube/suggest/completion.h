#pragma once

#include "kube/json/json.h"
#include "kube/suggest/observed_schema.h"
#include "kube/suggest/observed_shape.h"
#include "kube/suggest/schema_change.h"

namespace kube::suggest {

/// Mends each node of the structural part of `root` (node_mending.h) and specifies in it what
/// objects were `seen` to hold and pruning would remove (kube/schema/pruning.h). What is specified
/// already stays as it is: where objects hold another type than it says, a person has to look.
///
/// `root` is the schema of a version, at `place`.
void CompleteSchema(json::Value& root, const ObservedShape& seen, Prefer prefer,
                    const SchemaPlace& place, SchemaEditor& editor);

}  // namespace kube::suggest
