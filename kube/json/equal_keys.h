#pragma once

#include <cstddef>

#include "kube/json/json.h"

namespace kube::json {

/// Removes all but the last member of each key, as encoding/json does; the last value takes the
/// place of the first. Returns the number of members left.
std::size_t RemoveEqualKeys(Member* members, std::size_t count);

}  // namespace kube::json
