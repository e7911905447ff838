#pragma once

#include <optional>

#include "kube/json/json.h"
#include "migrate/spool/listed_object.h"

namespace migrate::spool {

/// The metadata of an object or PartialObjectMetadata; absent where no object of an API server
/// looks so: without name, uid or resourceVersion, or with one that is far too long.
std::optional<ListedObject> ReadObjectMetadata(const kube::json::Value& object);

}  // namespace migrate::spool
