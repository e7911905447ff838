#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace migrate::report {

/// Where something was read. Compares in the order of reading, which does not depend on threads.
struct Place {
  std::size_t file = 0;  ///< number of the file; 0 for live objects
  std::uint64_t offset =
      0;  ///< of the document in the file, in bytes; a running number for live ones
  std::uint64_t item = 0;  ///< number of the object within a document that is a list

  auto operator<=>(const Place&) const = default;
};

}  // namespace migrate::report
