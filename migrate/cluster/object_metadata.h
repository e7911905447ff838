#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::cluster {

/// An object as a list of metadata shows it.
struct ListedObject {
  std::string namespace_;  ///< empty if cluster-scoped
  std::string name;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;  ///< 0 where the server tells none
  /// Of its managedFields; none is stale where nobody looks for those.
  EntryState entries = EntryState::kNone;
};

/// A resource version as a number; 0 where it is none. Those that are decimal numbers grow with
/// each write of the cluster (KEP-5504 says so of all servers; etcd's revision always did).
std::uint64_t NumberOf(std::string_view resource_version);

/// A text of an object's metadata, such as "uid"; empty where there is none. Refers to `object`.
std::string_view MetadataText(const kube::json::Value& object, std::string_view key);

/// `object`, or a copy of it that shares all but metadata.managedFields, which it lacks.
kube::json::Value WithoutManagedFields(const kube::json::Value& object, kube::json::Arena& arena);

/// The metadata of an object or PartialObjectMetadata; absent where no object of an API server
/// looks so: without name, uid or resourceVersion, or with one that is far too long. `known` may be
/// the null pointer: then no entry of managedFields is stale.
std::optional<ListedObject> ReadObjectMetadata(const kube::json::Value& object,
                                               const KnownVersions* known = nullptr);

}  // namespace migrate::cluster
