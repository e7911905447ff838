#pragma once

#include <cstddef>

#include "kube/json/json.h"

/// metadata.managedFields of versions that a CRD does not have: which they are, and the same said
/// in a version that it has.
namespace migrate::cluster {

/// The parts of fieldsV1: "f:" a field, "k:" an element by its keys, "v:" an element by its value,
/// "." the thing itself, which is left out where nothing below is owned.
inline constexpr char kSelf[] = ".";

/// As deep as schemas are read; no object of a server is deeper by far.
inline constexpr std::size_t kMostLevels = 1000;

/// All that is owned by `one` or by `other`, two sets of fieldsV1; sorted where both have a part.
/// Refers to both. Where only one of them is an object that one; below kMostLevels that of `one`.
kube::json::Value UnionOf(const kube::json::Value& one, const kube::json::Value& other,
                          kube::json::Arena& arena);

}  // namespace migrate::cluster
