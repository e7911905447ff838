#pragma once

#include <cstddef>
#include <functional>

namespace plugin::command {

/// Calls `work` once for each number below `count`, `parallel` (at least 1) of them at once, each
/// in a thread that bears JSON of the deepest nesting; begins them in their order, and returns once
/// all have ended. Where the system has no room for so many threads there are fewer. What `work`
/// throws ends its thread and is thrown again at the end: it should catch what is of one alone.
void RunSideBySide(std::size_t count, std::size_t parallel,
                   const std::function<void(std::size_t)>& work);

}  // namespace plugin::command
