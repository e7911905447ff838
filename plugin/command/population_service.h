#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "kube/client/leader_election.h"
#include "migrate/populate/access_reviewer.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/population_webhooks.h"
#include "plugin/cli/common_flags.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

/// Takes part in the election of a leader, on a thread and a connection of its own: whatever else
/// waits for the server, the Lease is renewed, and its loss noticed.
class Leadership {
 public:
  /// Takes a line for people; called by the thread.
  using LogFunction = kube::client::LeaderElection::LogFunction;

  /// Begins. `clock` must outlive it.
  Leadership(const cli::CommonOptions& options, const std::string& lease_namespace,
             const kube::base::Clock& clock, LogFunction tell);
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

/// The webhooks of namespaces, answered on threads and connections of their own: populating may
/// take long, and those that wait for an answer shall not.
class WebhookService {
 public:
  /// Begins nothing yet. `clock` must outlive it.
  WebhookService(const cli::CommonOptions& options, const ServingOptions& serving,
                 migrate::populate::WebhookOptions webhooks, const kube::base::Clock& clock);
  WebhookService(const WebhookService&) = delete;
  WebhookService& operator=(const WebhookService&) = delete;
  /// End(), if it has not ended.
  ~WebhookService();

  /// What the webhooks go by, to be kept as the cluster is.
  migrate::populate::KnownPopulation& known() { return known_; }
  void AddMetrics(std::function<std::string()> print) { endpoint_.AddMetrics(std::move(print)); }

  /// Serves from now on, known() being what the cluster has.
  void Begin();
  /// Answers what is under way, and takes webhooks that are not persistent out of the
  /// configurations.
  void End();
  /// What has ended it before its time; the null pointer: nothing.
  std::exception_ptr failure() const { return has_failed_ ? failure_ : nullptr; }

 private:
  void Run() noexcept;

  const ServingOptions& serving_;
  migrate::populate::KnownPopulation known_;
  ClusterAccess cluster_;         // for configurations
  ClusterAccess review_cluster_;  // for questions about rights
  migrate::populate::ClusterAccessReviewer reviewer_;
  migrate::populate::CachedAccess access_;
  const migrate::populate::PopulationWebhooks webhooks_;
  const kube::admission::Handlers handlers_;
  kube::admission::Endpoint endpoint_;
  std::atomic<bool> is_over_ = false, has_failed_ = false;
  std::exception_ptr failure_;  // written before has_failed_
  std::thread thread_;
};

/// Keeps the namespaces of the cluster as NamespaceTemplates say, until a signal says to stop. One
/// of several replicas does; all of them answer webhooks. Throws kube::base::Error where that
/// cannot begin: no NamespaceTemplates, a port that is taken.
void ServePopulation(const PopulateOptions& options);

}  // namespace plugin::command
