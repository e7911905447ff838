#include "migrate/lists/pause.h"

#include <algorithm>
#include <chrono>

namespace migrate::lists {
namespace {

// What another thread brings comes at once, mostly, or not for long.
constexpr std::chrono::milliseconds kFirstTick(5);

}  // namespace

bool PollUntil(kube::system::Clock::TimePoint until, const std::function<bool()>& is_done,
               const kube::client::Session& session) {
  const auto is_over = [&] { return is_done() || session.is_stopped(); };
  if (session.turns != nullptr) {
    session.turns->Wait(until, is_over);
  } else {
    std::chrono::milliseconds tick = kFirstTick;
    while (session.clock.Now() < until && !is_over()) {
      session.client.Poll(std::min(until, session.clock.Now() + tick));
      tick = std::min(2 * tick, kTick);
    }
  }
  return is_done() || session.clock.Now() >= until;
}

bool PauseUntil(kube::system::Clock::TimePoint until, const kube::client::Session& session) {
  return PollUntil(
      until, [] { return false; }, session);
}

bool WaitUntil(kube::system::Clock::TimePoint until, const kube::client::Session& session) {
  if (session.clock.Now() >= until) return true;
  return WhileOthersWork(session, [&] { return PauseUntil(until, session); });
}

}  // namespace migrate::lists
