#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "migrate/populate/population_webhooks.h"
#include "plugin/cli/options.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

struct PopulationServiceOptions {
  std::chrono::seconds resync{};  ///< zero: what others change is not set back by time alone
  bool leader_elect = true;
  std::string lease_namespace = "kube-system";
  int metrics_port = 0;  ///< for HTTP; 0: nobody is told
  /// Absent: no webhooks are served.
  std::optional<migrate::populate::WebhookOptions> webhooks{};
  ServingOptions serving{};
  std::optional<std::size_t> concurrency{};  ///< as PopulationOptions::concurrency
  double max_rate = 0;                       ///< writes a second; 0: no limit
  bool trusts_creator = false;               ///< as PopulationOptions::trusts_creator
};

/// Keeps the namespaces of the cluster as NamespaceTemplates say, until a signal says to stop. One
/// of several replicas does; all of them answer webhooks. Throws kube::base::Error where that
/// cannot begin: no NamespaceTemplates, a port that is taken.
void ServePopulation(const cli::CommonOptions& common, const PopulationServiceOptions& options);

}  // namespace plugin::command
