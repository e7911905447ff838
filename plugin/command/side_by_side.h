#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace plugin::command {

/// Calls `work` once for each number below `count`, `parallel` (at least 1) of them at once, each
/// in a thread that bears JSON of the deepest nesting; begins them in their order, and returns once
/// all have ended. Where the system has no room for so many threads there are fewer. What `work`
/// throws ends its thread and is thrown again at the end: it should catch what is of one alone.
void RunSideBySide(std::size_t count, std::size_t parallel,
                   const std::function<void(std::size_t)>& work);

/// Of a cluster that could not be worked on.
inline constexpr int kFailedExitCode = 2;

/// The greatest `exit_code` of these; 0 where there are none.
template <typename Cluster>
int WorstExitCode(const std::vector<Cluster>& clusters) {
  int worst = 0;
  for (const Cluster& cluster : clusters) worst = std::max(worst, cluster.exit_code);
  return worst;
}

}  // namespace plugin::command
