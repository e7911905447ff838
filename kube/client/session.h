#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/scheduler.h"

namespace kube::client {

/// What whoever works with a cluster for a while needs: by whom it is asked, the clock by which
/// waits end, whether the person has had enough, and with whom the client is shared. Copies refer
/// to the same; all must outlive them.
struct Session {
  Client& client;
  const base::Clock& clock;
  const std::atomic<bool>* stop = nullptr;  ///< the null pointer: nobody says so
  Scheduler* scheduler = nullptr;           ///< the null pointer: shares the client with nobody
  std::size_t priority = 0;                 ///< of this one among them (Scheduler::BeginWork)
  /// How long whoever has rules of their own tries a request again, from its first failure on.
  base::Clock::Duration patience = std::chrono::minutes(3);
  /// Of the server, and of the authorities that it is known by: two clusters may have the same
  /// uids, where one was made of a snapshot of the other. Empty: unknown.
  std::string address{};

  /// Nothing new is to be begun; what is in flight may end.
  bool is_stopped() const { return stop != nullptr && *stop; }
  /// Client::Poll, through the scheduler of all.
  void Poll(base::Clock::TimePoint deadline) const {
    scheduler == nullptr ? client.Poll(deadline) : scheduler->Poll(deadline);
  }
};

}  // namespace kube::client
