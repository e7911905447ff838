#include "migrate/lists/pause.h"

#include <algorithm>
#include <chrono>

namespace migrate::lists {

bool PollUntil(kube::system::Clock::TimePoint until, const std::function<bool()>& is_done,
               const std::atomic<bool>* stop, kube::client::Client& client,
               const kube::system::Clock& clock) {
  while (clock.Now() < until && !is_done()) {
    if (stop != nullptr && *stop) return false;
    client.Poll(std::min(until, clock.Now() + kTick));
  }
  return true;
}

bool PauseUntil(kube::system::Clock::TimePoint until, const std::atomic<bool>* stop,
                kube::client::Client& client, const kube::system::Clock& clock) {
  return PollUntil(
      until, [] { return false; }, stop, client, clock);
}

}  // namespace migrate::lists
