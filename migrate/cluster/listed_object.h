#pragma once

#include <cstdint>
#include <string>

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

}  // namespace migrate::cluster
