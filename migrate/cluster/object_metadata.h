#pragma once

#include <optional>
#include <string_view>

#include "kube/json/json.h"
#include "migrate/cluster/listed_object.h"

namespace migrate::cluster {

/// A text of an object's metadata, such as "uid"; empty where there is none. Refers to `object`.
std::string_view MetadataText(const kube::json::Value& object, std::string_view key);

/// The metadata of an object or PartialObjectMetadata; absent where no object of an API server
/// looks so: without name, uid or resourceVersion, or with one that is far too long. `known` may be
/// the null pointer: then no entry of managedFields is stale.
std::optional<ListedObject> ReadObjectMetadata(const kube::json::Value& object,
                                               const KnownVersions* known = nullptr);

}  // namespace migrate::cluster
