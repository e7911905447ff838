#pragma once

#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"
#include "migrate/check/release_rules.h"
#include "migrate/check/version_validity.h"
#include "migrate/report/invalid_tally.h"

namespace migrate::check {

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
