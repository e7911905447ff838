#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/system/clock.h"
#include "migrate/populate/webhooks/cached_access.h"
#include "migrate/populate/webhooks/cluster_access_reviewer.h"
#include "migrate/populate/webhooks/known_population.h"
#include "migrate/populate/webhooks/population_webhooks.h"
#include "plugin/access/cluster_access.h"
#include "plugin/flags/options.h"
#include "plugin/serving/serving_options.h"

namespace plugin::population {

/// The webhooks of namespaces, answered on threads and connections of their own: populating may
/// take long, and those that wait for an answer shall not.
class WebhookService {
 public:
  /// Begins nothing yet. `clock` must outlive it.
  WebhookService(const flags::CommonOptions& options, const serving::ServingOptions& serving,
                 migrate::populate::webhooks::WebhookOptions webhooks,
                 const kube::system::Clock& clock);
  WebhookService(const WebhookService&) = delete;
  WebhookService& operator=(const WebhookService&) = delete;
  /// End(), if it has not ended.
  ~WebhookService();

  /// What the webhooks go by, to be kept as the cluster is.
  migrate::populate::webhooks::KnownPopulation& known() { return known_; }
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

  const serving::ServingOptions& serving_;
  migrate::populate::webhooks::KnownPopulation known_;
  access::ClusterAccess cluster_;         // for configurations
  access::ClusterAccess review_cluster_;  // for questions about rights
  migrate::populate::webhooks::ClusterAccessReviewer reviewer_;
  migrate::populate::webhooks::CachedAccess access_;
  const migrate::populate::webhooks::PopulationWebhooks webhooks_;
  const kube::admission::Handlers handlers_;
  kube::admission::Endpoint endpoint_;
  std::atomic<bool> is_over_ = false, has_failed_ = false;
  std::exception_ptr failure_;  // written before has_failed_
  std::thread thread_;
};

}  // namespace plugin::population
