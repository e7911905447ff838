#include "plugin/command/population_service.h"

#include <cstdint>
#include <exception>
#include <random>
#include <utility>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "kube/base/environment.h"
#include "kube/client/session.h"
#include "kube/serve/server.h"
#include "migrate/cluster/pause.h"
#include "migrate/populate/population_control.h"
#include "migrate/populate/population_counts.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/webhook_run.h"

namespace plugin::command {
namespace {

constexpr char kLeaseName[] = "kubectl-prune-populate";

// Two programs of one machine are two candidates.
std::string Identity() {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  return kube::base::HostName() + "_" + std::to_string(number);
}

kube::client::LeaderElectionOptions OptionsOf(const std::string& lease_namespace) {
  return {.namespace_ = lease_namespace, .name = kLeaseName, .identity = Identity()};
}

}  // namespace

Leadership::Leadership(const cli::CommonOptions& options, const std::string& lease_namespace,
                       const kube::base::Clock& clock, LogFunction tell)
    : cluster_(options, ClusterAccess::Right::kWrite, clock, tell),
      clock_(clock),
      election_(OptionsOf(lease_namespace), cluster_.session(), std::move(tell)),
      thread_([this] { Run(); }) {}

Leadership::~Leadership() { End(); }

void Leadership::End() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

bool Leadership::leads() {
  const bool leads = clock_.Now() < leads_until_.load();
  if (!leads) halt_ = true;
  return leads;
}

void Leadership::Halt() {
  leads_until_ = kube::base::Clock::TimePoint::min();
  halt_ = true;
}

// A program that is to end goes on to lead until what it does as the leader has ended.
void Leadership::Run() noexcept {
  try {
    kube::client::Client& client = cluster_.client();
    while (!is_over_) {
      election_.Advance();
      client.Poll(clock_.Now() + migrate::cluster::kTick);
      leads_until_ = election_.leader_until();
      halt_ = !leads() || StopFlag();
    }
    Halt();
    election_.Release();
  } catch (...) {
    Halt();
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

namespace {

using Right = ClusterAccess::Right;

// What configurations are called that are printed.
constexpr char kPopulateName[] = "populate.kubectl-prune.dev";

}  // namespace

WebhookService::WebhookService(const cli::CommonOptions& options, const ServingOptions& serving,
                               migrate::populate::WebhookOptions webhooks,
                               const kube::base::Clock& clock)
    : serving_(serving),
      cluster_(options, serving.managed.empty() ? Right::kRead : Right::kWrite, clock, Log),
      review_cluster_(options, Right::kWrite, clock, Log),
      reviewer_(review_cluster_.client(), clock),
      access_(reviewer_, clock),
      webhooks_(known_, access_, std::move(webhooks)),
      handlers_(webhooks_.MakeHandlers()),
      endpoint_(handlers_, clock) {}

WebhookService::~WebhookService() { End(); }

void WebhookService::End() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

void WebhookService::Begin() {
  thread_ = std::thread([this] { Run(); });
}

// Handlers are the same from beginning to end.
void WebhookService::Run() noexcept {
  try {
    const Webhooks webhooks = {
        .endpoint = endpoint_,
        .configured = [this] { return webhooks_.MakeHandlers(); },
        .revision = [] { return std::uint64_t{0}; },
        .advance = [] {},
        .server_certificate = [this] { return cluster_.ServerCertificate(); },
        .printed_name = kPopulateName};
    kube::client::Session session = cluster_.session();
    session.stop = &is_over_;
    ServeWebhooks(serving_, webhooks, session, Log, PrintOnce);
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

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
  explicit Service(const PopulateOptions& options)
      : options_(options), cluster_(options.common, ClusterAccess::Right::kWrite, clock_, Log) {
    if (options.webhooks) {
      webhooks_.emplace(options.common, options.serving, *options.webhooks, clock_);
      webhooks_->AddMetrics([this] { return counts_.PrintMetrics(); });
    }
  }

  void Run() {
    CatchStopSignals();
    const kube::client::Session session = cluster_.session();
    kube::client::Session round_session = session;
    if (options_.leader_elect) {
      leadership_.emplace(options_.common, options_.lease_namespace, clock_, Log);
      round_session.stop = &leadership_->halt();
    }
    PopulationControl control(MakeControlOptions(), counts_,
                              webhooks_ ? &webhooks_->known() : nullptr, session, round_session);
    if (!control.Begin()) return;
    std::optional<MetricsServer> metrics;
    if (options_.metrics_port > 0) metrics.emplace(options_.metrics_port, counts_, clock_);
    if (webhooks_) webhooks_->Begin();
    Log("watching the namespaces and NamespaceTemplates of the cluster");
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
    ControlOptions control = options_.control;
    control.population.on_line = Log;
    control.now = TimeOfDay;
    if (leadership_) {
      control.leads = [this] { return leadership_->leads(); };
    }
    control.tell = Log;
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

  const PopulateOptions& options_;
  const kube::base::SystemClock clock_;
  PopulationCounts counts_;
  ClusterAccess cluster_;
  std::optional<WebhookService> webhooks_;
  std::optional<Leadership> leadership_;
};

}  // namespace

void ServePopulation(const PopulateOptions& options) { Service(options).Run(); }

}  // namespace plugin::command
