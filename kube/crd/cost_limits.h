#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/crd/crd.h"
#include "kube/crd/rule_places.h"
#include "kube/json/json.h"

/// The way out where the API server refuses a CRD because its rules of x-kubernetes-validations may
/// cost too much: limits on what the values may hold.
namespace kube::crd {

/// A limit that a schema is to have.
struct SizeLimit {
  std::string path{};                 ///< the field, folded: "spec.names[*]"
  std::vector<ValueStep> steps{};     ///< to them
  std::string_view keyword{};         ///< "maxItems", "maxLength" or "maxProperties"
  std::int64_t most = 0;              ///< the largest that it may be
  std::optional<std::int64_t> was{};  ///< what the schema says until now
};

/// What objects have: the largest size by SizeLimit::path.
using HeldSizes = std::map<std::string, std::int64_t, std::less<>>;

/// The limits with which the rules of one version, all of them and each, stay within the budgets of
/// the API server, found by trying: with all of them one larger it refuses the CRD. Only those that
/// matter, in the order of the schema. Empty where nothing costs too much, or where no limits help,
/// or where the rules are too long to be tried often.
///
/// They are in proportion to what values usually need, and to what objects have where that is more.
/// A limit that objects exceed all the same is the best there is.
///
/// `old`: the CRD that is replaced; the null pointer: none. `server`: its release.
std::vector<SizeLimit> FindCostLimits(const Crd& crd, const Crd* old, std::string_view version,
                                      base::Release server, const HeldSizes& held = {});

/// The size of the largest value of `object` that the limit is about: elements, keys or characters.
/// 0 where there is none.
std::int64_t LargestHeld(const json::Value& object, const SizeLimit& limit);

/// True for what the server says of a cost that such limits lower.
bool IsOfRuleCost(std::string_view message);

}  // namespace kube::crd
