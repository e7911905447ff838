#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "migrate/populate/cached_access.h"
#include "migrate/populate/cluster_access_reviewer.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/population_webhooks.h"
#include "plugin/cli/options.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

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

}  // namespace plugin::command
