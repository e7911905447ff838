#include "migrate/lists/pause.h"

#include <algorithm>
#include <chrono>

namespace migrate::lists {

bool PollUntil(kube::system::Clock::TimePoint until, const std::function<bool()>& is_done,
               const kube::client::Session& session) {
  while (session.clock.Now() < until && !is_done()) {
    if (session.is_stopped()) return false;
    session.client.Poll(std::min(until, session.clock.Now() + kTick));
  }
  return true;
}

bool PauseUntil(kube::system::Clock::TimePoint until, const kube::client::Session& session) {
  return PollUntil(
      until, [] { return false; }, session);
}

}  // namespace migrate::lists
