#include "plugin/command/side_by_side.h"

#include <algorithm>
#include <atomic>

#include "migrate/cluster/worker_pool.h"

namespace plugin::command {

void RunSideBySide(std::size_t count, std::size_t parallel,
                   const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  std::atomic<std::size_t> next = 0;
  const auto take_turns = [&](std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  migrate::cluster::RunWorkers(std::min(count, parallel), take_turns, [] {});
}

}  // namespace plugin::command
