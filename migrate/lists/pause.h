#pragma once

#include <chrono>
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

}  // namespace migrate::lists
