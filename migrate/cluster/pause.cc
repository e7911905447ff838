#include "migrate/cluster/pause.h"

#include <algorithm>
#include <chrono>

namespace migrate::cluster {
namespace {

using kube::base::Clock;
using std::chrono::milliseconds;

// What is waited for may come from another thread, as a Lease does: within milliseconds, or after
// seconds.
constexpr milliseconds kFirstTick(5);

bool PollInTicks(milliseconds first, Clock::TimePoint until, const std::function<bool()>& is_done,
                 const kube::client::Session& session) {
  const auto is_over = [&] { return is_done() || session.is_stopped(); };
  if (session.scheduler != nullptr) {
    session.scheduler->Wait(until, is_over);
  } else {
    for (milliseconds tick = first; session.clock.Now() < until && !is_over();
         tick = std::min(2 * tick, kTick)) {
      session.client.Poll(std::min(until, session.clock.Now() + tick));
    }
  }
  return is_done() || session.clock.Now() >= until;
}

}  // namespace

bool PollUntil(Clock::TimePoint until, const std::function<bool()>& is_done,
               const kube::client::Session& session) {
  return PollInTicks(kFirstTick, until, is_done, session);
}

bool PauseUntil(Clock::TimePoint until, const kube::client::Session& session) {
  return PollInTicks(
      kTick, until, [] { return false; }, session);
}

bool WaitUntil(Clock::TimePoint until, const kube::client::Session& session) {
  if (session.clock.Now() >= until) return true;
  return WhileOthersWork(session, [&] { return PauseUntil(until, session); });
}

}  // namespace migrate::cluster
