#pragma once

#include <atomic>
#include <thread>

#include "kube/base/clock.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/migration/lease_keeper.h"
#include "plugin/cli/common_flags.h"
#include "plugin/command/cluster_access.h"

namespace plugin::command {

/// This process, with a number that nobody can know before; another one each time.
migrate::migration::Holder OwnHolder();

/// Keeps the Leases of a run, on a thread and a connection of its own: whatever else waits for the
/// server, or for a person, they are renewed, and a loss is noticed.
class LeaseThread {
 public:
  /// Begins; asks the server nothing before a Lease is sought. To the cluster of `run`, whose
  /// options and clock these are. `clock` must outlive it. Throws as ClusterAccess does.
  LeaseThread(const ClusterAccess& run, const cli::CommonOptions& options,
              const kube::base::Clock& clock);
  LeaseThread(const LeaseThread&) = delete;
  LeaseThread& operator=(const LeaseThread&) = delete;
  /// Gives back what is held, for which it waits a few seconds at most.
  ~LeaseThread();

  /// Has a run take its Leases here, another holder each time.
  void Serve(migrate::migration::LeaseOptions& lease) {
    lease.leases = &keeper_;
    lease.self = OwnHolder();
  }

 private:
  void Run() noexcept;

  ClusterAccess cluster_;
  const kube::base::Clock& clock_;
  migrate::migration::LeaseKeeper keeper_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace plugin::command
