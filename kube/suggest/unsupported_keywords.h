#pragma once

#include "kube/json/json.h"
#include "kube/suggest/schema_change.h"

namespace kube::suggest {

/// Says otherwise what no structural schema, or no schema of v1, may say (NewStructural and
/// ValidateCustomResourceDefinition), wherever it stands: $ref, definitions, $schema, id,
/// patternProperties, additionalItems, several schemas for items, uniqueItems,
/// x-kubernetes-preserve-unknown-fields: false. What cannot be said otherwise stays; the server's
/// rules find it again.
///
/// `root` is the schema of a version, at `place`.
void ReplaceUnsupported(json::Value& root, const SchemaPlace& place, SchemaEditor& editor);

}  // namespace kube::suggest
