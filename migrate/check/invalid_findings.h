#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"
#include "migrate/check/release_rules.h"
#include "migrate/check/version_validity.h"
#include "migrate/report/invalid_tally.h"

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

/// Counts `findings` about `object` in `tally`, each path and its words once. Returns whether the
/// server would refuse the object's next write: one that ratchets does not for what it tolerates,
/// and one that is older than a rule does not for that. Appends why, the server's whole strings, to
/// `refusals` unless that is the null pointer. Of long strings the first KiB, of one object some
/// MiB at most.
bool AddFindings(const VersionValidity::Findings& findings, const kube::json::Value& object,
                 const kube::schema::SchemaProps& schema, const ServerRules& server,
                 const report::CountedObject& counted, report::InvalidTally& tally,
                 std::vector<std::string>* refusals);

}  // namespace migrate::check
