#pragma once

#include <cstdint>

namespace migrate::owners {

/// Which entries of managedFields a write says in the storage version (EntryCleaner).
enum class Cleaning : std::uint8_t {
  kAuto,    ///< those for which the server would empty managedFields otherwise, and stale ones
  kAlways,  ///< also those of versions that hold this object, but not every object
  kNever,
};

}  // namespace migrate::owners
