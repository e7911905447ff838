#pragma once

#include <cstddef>
#include <vector>

#include "kube/crd/schema_difference.h"
#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/structural.h"

namespace kube::crd {

/// An object as the server shows it, and as it would show it by the proposed CRD.
struct ObjectViews {
  const json::Value& now;
  const json::Value& then;
};

/// Appends the numbers of the changes in `difference` that touch the object, in any order, each at
/// least once:
/// - fieldRemoved: it has the field. default: it lacks the field where the object around it is
///   there, or has what the default was until now, which may come from there.
/// - required: it is the one that gets too little. preserveUnknownFields, additionalProperties,
///   fieldAdded: it loses something there, or what it has is invalid from now on.
/// - validations: the server refuses it by the rules that come, or did by those that go, but not
///   both.
/// - all others: it has a value there that is right by the old rule, and not by the new one.
///
/// Where `patterns` cannot tell it is not touched. One walk along what differs; not changed: may be
/// used by several threads.
void FindTouching(const ObjectViews& object, const SchemaDifference& difference,
                  schema::PatternChecks& patterns, std::vector<std::size_t>& numbers);

}  // namespace kube::crd
