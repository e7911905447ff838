#pragma once

#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/suggest/observed_schema.h"
#include "kube/suggest/observed_shape.h"
#include "kube/suggest/schema_change.h"

namespace kube::suggest {

/// Fixes outside of the schemas what the server refuses in a CRD of v1 and what only one thing can
/// be meant by: a column's path without the dot in front, and the annotation that CRDs of groups
/// of Kubernetes have to have (KEP 1111), which then tells that nobody has approved.
///
/// `crd` is in v1 form. `arena` takes what is added.
std::vector<SchemaChange> FixCrd(json::Value& crd, json::Arena& arena);

/// Says otherwise what no structural schema, or no schema of v1, may say (NewStructural and
/// ValidateCustomResourceDefinition), wherever it stands: $ref, definitions, $schema, id,
/// patternProperties, additionalItems, several schemas for items, uniqueItems,
/// x-kubernetes-preserve-unknown-fields: false. What cannot be said otherwise stays; the server's
/// rules find it again.
///
/// `root` is the schema of a version, at `place`.
void ReplaceUnsupported(json::Value& root, const SchemaPlace& place, SchemaEditor& editor);

struct SuggestOptions {
  Prefer prefer = Prefer::kFields;
  /// The objects were read in this version, and a webhook makes other ones of it: of those nothing
  /// is known. Empty: all versions hold the same.
  std::string only_version{};
  bool is_live = false;  ///< a server has the CRD as it is: v1_form.h
};

/// A CRD whose schemas are structural and specify what objects hold.
struct Suggestion {
  json::Value crd;     ///< in v1 form (v1_form.h)
  json::Value before;  ///< the same of the CRD as it was
  /// What concerns the whole CRD, then by version, in the order of the schema.
  std::vector<SchemaChange> changes;
};

/// Suggests what `crd` should say, by what its objects were `seen` to hold. None of these that was
/// valid is invalid by it; others may be, where the schema had no type and gets that of its
/// keywords or of what was seen. What it says already stays, but for what no structural schema may
/// say. A version without a schema gets one that keeps all fields where no objects are known.
///
/// The values borrow from `crd` and `arena`.
Suggestion Suggest(const crd::Crd& crd, const ObservedShape& seen, const SuggestOptions& options,
                   json::Arena& arena);

/// The JSON Patch that makes `suggestion` of `crd` as a server has it, in v1 form: members that the
/// form leaves out stay. Borrows from `suggestion` and `arena`.
json::Value PatchOf(const Suggestion& suggestion, const crd::Crd& crd, json::Arena& arena);

}  // namespace kube::suggest
