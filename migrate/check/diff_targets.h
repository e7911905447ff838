#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/check/crd_check.h"
#include "migrate/check/crd_names.h"
#include "migrate/check/object_diff.h"

/// What DiffCluster and DiffFiles have in common.
namespace migrate::check {

/// The CRDs that `targets` name, each once.
std::vector<std::string> CrdNamesOf(const std::vector<DiffTarget>& targets);

/// The names of the objects of `crd` that `targets` name; empty: all of its objects.
std::set<std::string> ObjectNamesOf(const CrdIdentity& crd, const std::vector<DiffTarget>& targets);

/// What a person is to be told of a CRD whose objects are compared: that the API server would
/// refuse it all the same. Empty if it would not.
std::string RefusalNote(const CrdCheck& check);
/// That of several CRDs of one name the last counts.
std::string GivenTwiceNote(const std::string& crd);

/// Of an object of which it is not known how the API server would store it, or that it would not.
std::string LeftOutError(const CrdCheck& check, const std::string& object, const std::string& why);

}  // namespace migrate::check
