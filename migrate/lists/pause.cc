#include "migrate/lists/pause.h"

#include <algorithm>
#include <chrono>

namespace migrate {
namespace {

// How soon a signal is noticed.
constexpr std::chrono::milliseconds kTick(100);

}  // namespace

bool PauseUntil(kube::Clock::TimePoint until, const std::atomic<bool>* stop, kube::Client& client,
                const kube::Clock& clock) {
  while (clock.Now() < until) {
    if (stop != nullptr && *stop) return false;
    client.Poll(std::min(until, clock.Now() + kTick));
  }
  return true;
}

}  // namespace migrate
