#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <thread>

#include "kube/base/clock.h"
#include "kube/client/leader_election.h"
#include "plugin/cli/options.h"
#include "plugin/command/cluster_access.h"

namespace plugin::command {

/// Takes part in the election of a leader, on a thread and a connection of its own: whatever else
/// waits for the server, the Lease is renewed, and its loss noticed.
class Leadership {
 public:
  /// Takes a line for people; called by the thread.
  using TellFunction = kube::client::LeaderElection::TellFunction;

  /// Begins. `clock` must outlive it.
  Leadership(const cli::CommonOptions& options, const std::string& lease_namespace,
             const kube::base::Clock& clock, TellFunction tell);
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;
  /// End(), if it has not ended.
  ~Leadership();

  /// By the clock, also where the thread is held up. Where it does not, halt() is true.
  bool leads();
  /// True while what a leader does has to stop: another one leads, or the program is to end.
  const std::atomic<bool>& halt() const { return halt_; }
  /// What has ended the thread before its time; the null pointer: nothing.
  std::exception_ptr failure() const { return has_failed_ ? failure_ : nullptr; }

  /// Gives the Lease back. Whatever only a leader may do has to have ended.
  void End();

 private:
  void Run() noexcept;
  void Halt();

  ClusterAccess cluster_;
  const kube::base::Clock& clock_;
  kube::client::LeaderElection election_;
  std::atomic<kube::base::Clock::TimePoint> leads_until_{kube::base::Clock::TimePoint::min()};
  std::atomic<bool> halt_ = true, is_over_ = false, has_failed_ = false;
  std::exception_ptr failure_;  // written before has_failed_
  std::thread thread_;
};

}  // namespace plugin::command
