#pragma once

#include <atomic>

#include "kube/client/client.h"
#include "kube/system/clock.h"

namespace kube::client {

/// What whoever works with a cluster for a while needs: by whom it is asked, the clock by which
/// waits end, and whether the person has had enough. Copies refer to the same; all must outlive
/// them.
struct Session {
  Client& client;
  const system::Clock& clock;
  const std::atomic<bool>* stop = nullptr;  ///< the null pointer: nobody says so

  /// Nothing new is to be begun; what is in flight may end.
  bool is_stopped() const { return stop != nullptr && *stop; }
};

}  // namespace kube::client
