#pragma once

#include <cstdint>

namespace migrate::report {

/// By which the schemas of a CRD are held against those of another cluster: the same numbers where
/// they are the same. 0: not known.
struct CrdSchemas {
  std::uint64_t all = 0;          ///< of the schemas as they are
  std::uint64_t kept_fields = 0;  ///< of what pruning looks at

  bool operator==(const CrdSchemas&) const = default;
};

}  // namespace migrate::report
