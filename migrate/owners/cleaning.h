#pragma once

#include <cstdint>

namespace migrate::owners {

/// Which entries of managedFields a write says in the storage version (EntryCleaner).
enum class Cleaning : std::uint8_t {
  kAuto,    ///< stale ones, and those of versions that lack fields of this object
  kAlways,  ///< stale ones, and those of versions that lack fields of the storage version
  kNever,
};

}  // namespace migrate::owners
