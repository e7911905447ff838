#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"

namespace migrate::check {

/// The place in an object that an error of the API server names.
struct LocatedField {
  std::vector<kube::schema::PathElement> elements;  ///< from the root; borrow from `field`
  std::string folded_path;  ///< indices as [*], keys of maps as .*; empty for the whole object
};

/// Finds where `field` is, e.g. "spec.ports[0].env.a.b" (the field of an error from
/// schema/validation; "<nil>" is the whole object). Names may hold dots and brackets: the longest
/// that `object`, or else `schema`, has is taken. What the object lacks, as what is required, is
/// still named. `members` is of `object` alone, and makes many look-ups quick.
LocatedField LocateField(std::string_view field, const kube::json::Value& object,
                         const kube::schema::SchemaProps& schema, kube::json::MemberIndex& members);

}  // namespace migrate::check
