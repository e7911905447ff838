#pragma once

#include <cstddef>

namespace plugin::command {

/// Counts a warning that the server sent and that was told, for --warnings-as-errors. For any
/// thread, and for the whole program: several clients may hear them.
void CountServerWarning();

/// How many there were.
std::size_t ServerWarnings();

}  // namespace plugin::command
