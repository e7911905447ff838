#pragma once

#include "kube/json/json.h"

namespace migrate::check {

/// True if the metadata of `object` is of a form that ObjectMeta surely takes: the common case,
/// told at a fraction of the cost of reading it. False says nothing.
bool HasPlainMetadata(const kube::json::Value& object);

}  // namespace migrate::check
