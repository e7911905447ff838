#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "kube/base/clock.h"
#include "kube/client/session.h"

namespace migrate::cluster {

/// How soon a signal is noticed, and progress told.
inline constexpr std::chrono::milliseconds kTick(100);

/// Lets requests go on until then, or until `is_done`, which is asked after everything that
/// happens. False: it ended early, as the session is stopped. Throws what
/// Client::Poll throws.
bool PollUntil(kube::base::Clock::TimePoint until, const std::function<bool()>& is_done,
               const kube::client::Session& session);

/// Lets requests go on until then. False: it ended early, as the session is
/// stopped. Throws what Client::Poll throws.
bool PauseUntil(kube::base::Clock::TimePoint until, const kube::client::Session& session);

/// What `wait` returns, while others work with the cluster where it is shared (Session::turns), and
/// whoever calls it is at work.
template <typename Wait>
auto WhileOthersWork(const kube::client::Session& session, const Wait& wait) {
  if (session.scheduler == nullptr) return wait();
  session.scheduler->EndWork(session.priority);
  auto result = wait();
  session.scheduler->BeginWork(session.priority);
  return result;
}

/// PauseUntil, while others work.
bool WaitUntil(kube::base::Clock::TimePoint until, const kube::client::Session& session);

}  // namespace migrate::cluster
