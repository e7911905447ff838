#include "plugin/command/population_service.h"

#include <cstdint>
#include <exception>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "kube/serve/server.h"
#include "migrate/cluster/pause.h"
#include "migrate/populate/population_control.h"
#include "migrate/populate/population_counts.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/leadership.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/version.h"
#include "plugin/command/webhook_service.h"

namespace plugin::command {
namespace {

using migrate::populate::ControlOptions;
using migrate::populate::PopulationControl;
using migrate::populate::PopulationCounts;

/// /metrics, /healthz and /readyz by HTTP, for whoever watches over the program.
class MetricsServer {
 public:
  MetricsServer(int port, const PopulationCounts& counts, const kube::base::Clock& clock)
      : endpoint_(handlers_, clock) {
    endpoint_.AddMetrics([&counts] { return counts.PrintMetrics(); });
    endpoint_.SetReady(true);
    kube::serve::ServerOptions options;
    options.port = static_cast<std::uint16_t>(port);
    options.threads = 1;
    options.request.body_bytes = 0;  // whoever reads sends none
    server_.emplace(options, endpoint_.answerer());
  }

 private:
  const kube::admission::Handlers handlers_;
  kube::admission::Endpoint endpoint_;
  std::optional<kube::serve::Server> server_;
};

/// A run from its beginning to its end.
class Service {
 public:
  Service(const cli::CommonOptions& common, const PopulationServiceOptions& options)
      : common_(common),
        options_(options),
        cluster_(common, ClusterAccess::Right::kWrite, clock_, Tell) {
    if (options.webhooks) {
      webhooks_.emplace(common, options.serving, *options.webhooks, clock_);
      webhooks_->AddMetrics([this] { return counts_.PrintMetrics(); });
    }
  }

  void Run() {
    CatchStopSignals();
    const kube::client::Session session = cluster_.session();
    kube::client::Session round_session = session;
    if (options_.leader_elect) {
      leadership_.emplace(common_, options_.lease_namespace, clock_, Tell);
      round_session.stop = &leadership_->halt();
    }
    PopulationControl control(MakeControlOptions(), counts_,
                              webhooks_ ? &webhooks_->known() : nullptr, session, round_session);
    if (!control.Begin()) return;
    std::optional<MetricsServer> metrics;
    if (options_.metrics_port > 0) metrics.emplace(options_.metrics_port, counts_, clock_);
    if (webhooks_) webhooks_->Begin();
    Tell("watching the namespaces and NamespaceTemplates of the cluster");
    while (migrate::cluster::PauseUntil(NextLook(control), session)) {
      ThrowFailures();
      control.Advance();
    }
    // What the leader does has ended.
    if (leadership_) leadership_->End();
    if (webhooks_) webhooks_->End();
    ThrowFailures();
  }

 private:
  ControlOptions MakeControlOptions() {
    ControlOptions control;
    control.population.version = kVersion;
    control.population.concurrency = options_.concurrency;
    control.population.max_rate = options_.max_rate;
    control.population.on_line = Tell;
    control.resync = options_.resync;
    control.marks_populated = options_.webhooks && options_.webhooks->initialization.is_wanted;
    if (options_.webhooks)
      control.initialization_timeout = options_.webhooks->initialization_timeout;
    control.now = TimeOfDay;
    if (leadership_) {
      control.leads = [this] { return leadership_->leads(); };
    }
    control.tell = Tell;
    control.population.time_of_day = TimeOfDayText;
    control.population.trusts_creator = options_.trusts_creator;
    return control;
  }

  kube::base::Clock::TimePoint NextLook(const PopulationControl& control) const {
    const auto now = clock_.Now();
    return control.is_busy() ? now : now + migrate::cluster::kTick;
  }

  // What has ended a thread ends the program.
  void ThrowFailures() const {
    const auto throw_if = [](const std::exception_ptr& failure) {
      if (failure != nullptr) std::rethrow_exception(failure);
    };
    if (leadership_) throw_if(leadership_->failure());
    if (webhooks_) throw_if(webhooks_->failure());
  }

  const cli::CommonOptions& common_;
  const PopulationServiceOptions& options_;
  const kube::base::SystemClock clock_;
  PopulationCounts counts_;
  ClusterAccess cluster_;
  std::optional<WebhookService> webhooks_;
  std::optional<Leadership> leadership_;
};

}  // namespace

void ServePopulation(const cli::CommonOptions& common, const PopulationServiceOptions& options) {
  Service(common, options).Run();
}

}  // namespace plugin::command
