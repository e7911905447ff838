#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "kube/client/session.h"
#include "kube/system/clock.h"

namespace migrate::lists {

/// How soon a signal is noticed, and progress told.
inline constexpr std::chrono::milliseconds kTick(100);

/// Lets requests go on until then, or until `is_done`, which is asked after everything that
/// happens. False: it ended early, as the session is stopped. Throws what
/// Client::Poll throws.
bool PollUntil(kube::system::Clock::TimePoint until, const std::function<bool()>& is_done,
               const kube::client::Session& session);

/// Lets requests go on until then. False: it ended early, as the session is
/// stopped. Throws what Client::Poll throws.
bool PauseUntil(kube::system::Clock::TimePoint until, const kube::client::Session& session);

/// What `wait` returns, while others work with the cluster where it is shared (Session::turns), and
/// whoever calls it is at work.
template <typename Wait>
auto WhileOthersWork(const kube::client::Session& session, const Wait& wait) {
  if (session.turns == nullptr) return wait();
  session.turns->EndWork(session.rank);
  auto result = wait();
  session.turns->BeginWork(session.rank);
  return result;
}

/// PauseUntil, while others work.
bool WaitUntil(kube::system::Clock::TimePoint until, const kube::client::Session& session);

}  // namespace migrate::lists
