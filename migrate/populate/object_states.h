#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "migrate/check/object_diff.h"
#include "migrate/populate/cluster_kinds.h"

namespace migrate::populate {

/// What a write is sent for.
enum class WriteMode : std::uint8_t {
  kStore,
  kDryRun,  ///< to hear what the server says; it stores nothing
  kShow,    ///< the same, and to show what would change: the object is read before
};

/// An object before a write and after it, as the server shows it: JSON. Empty: there is none.
struct ObjectStates {
  std::string now, after;
};

/// Has `taker` compare them, as `kubectl diff` does: without metadata.managedFields, and of Secrets
/// with *** in the place of each value, which says of a value that changes "(before)" or "(after)".
/// What `kubectl apply` has noted of a Secret in an annotation is such a value too.
void ShowStates(const ObjectStates& states, const ServedKind& kind, std::string_view namespace_,
                std::string_view name, check::ChangeTaker& taker);

}  // namespace migrate::populate
