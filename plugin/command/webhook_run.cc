#include "plugin/command/webhook_run.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "kube/admission/configuration.h"
#include "kube/admission/server_kind.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/serve/certificates.h"
#include "kube/serve/server.h"
#include "migrate/cluster/pause.h"
#include "plugin/command/server_certificate.h"
#include "plugin/command/serving_news.h"

namespace plugin::command {
namespace {

constexpr char kThisMachine[] = "localhost";

std::string HostOf(kube::admission::ServerKind kind) {
  return std::string(kube::admission::HostForServer(kind));
}

kube::admission::ServerCertificate CertificateOf(const AskingServer& server) {
  auto facts = kube::serve::ReadCertificate(server.certificate());
  if (!facts) return {};
  kube::admission::ServerCertificate certificate{.subject = std::move(facts->subject.text),
                                                 .issuer = std::move(facts->issuer.text),
                                                 .alternative_names = std::move(facts->dns_names)};
  std::ranges::move(facts->ip_addresses, std::back_inserter(certificate.alternative_names));
  return certificate;
}

// Empty where it does not say.
std::string VersionOf(kube::client::Client& client) {
  const auto version = client.Get("/version");
  return version ? std::string((*version)->root().FindText("gitVersion")) : "";
}

std::string OwnHost(const ServingOptions& options) {
  return options.address.empty() ? kThisMachine : options.address;
}

std::string FindHost(const ServingOptions& options, const AskingServer& server) {
  if (!options.host.empty()) return options.host;
  switch (options.reach) {
    case Reachable::kK3d:
      return HostOf(kube::admission::ServerKind::kK3d);
    case Reachable::kMinikube:
      return HostOf(kube::admission::ServerKind::kMinikube);
    case Reachable::kAuto: {
      const std::string host =
          HostOf(kube::admission::KindOfServer(CertificateOf(server), VersionOf(server.client)));
      return host.empty() ? OwnHost(options) : host;
    }
    case Reachable::kPlain:
    case Reachable::kService:
      break;
  }
  return OwnHost(options);
}

// As a URL has it.
std::string InUrl(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

WebhookPlace FindPlace(const ServingOptions& options, const AskingServer& server) {
  if (!options.url.empty()) return {};
  return {.host = FindHost(options, server), .is_service = options.reach == Reachable::kService};
}

std::vector<std::string> CertificateNames(const ServingOptions& options,
                                          const WebhookPlace& place) {
  std::vector<std::string> names = options.extra_sans;
  // A tunnel that speaks TLS to us asks for whatever it was told.
  names.insert(names.begin(), place.host.empty() ? kThisMachine : place.host);
  if (!options.address.empty() && options.address != place.host) names.push_back(options.address);
  return names;
}

kube::admission::Reach MakeReach(const ServingOptions& options, const WebhookPlace& place,
                                 std::uint16_t port, const std::string& ca_bundle) {
  kube::admission::Reach reach{.ca_bundle = ca_bundle};
  if (!options.url.empty()) {
    reach.url = options.url;
  } else if (place.is_service) {
    const std::size_t dot = place.host.find('.');
    const std::size_t end = place.host.rfind('.');
    reach.service = {.namespace_ = place.host.substr(dot + 1, end - dot - 1),
                     .name = place.host.substr(0, dot)};
  } else {
    reach.url = "https://" + InUrl(place.host) + ":" + std::to_string(port);
  }
  return reach;
}

using kube::admission::ConfigurationChange;
using kube::admission::ConfigurationKind;
using kube::admission::Handlers;
using kube::admission::ManagedConfiguration;

WebhookConfigurations::WebhookConfigurations(std::string name, kube::client::Client& client,
                                             const LogFunction& tell)
    : tell_(tell),
      name_(std::move(name)),
      both_{ManagedConfiguration(client, ConfigurationKind::kMutating, name_),
            ManagedConfiguration(client, ConfigurationKind::kValidating, name_)} {}

void WebhookConfigurations::ApplyFirst(const Handlers& handlers,
                                       const kube::admission::Reach& reach) {
  for (ManagedConfiguration& one : both_) {
    const auto change = one.Apply(handlers, reach);
    if (!change) throw kube::base::Error(change.error().message);
  }
}

void WebhookConfigurations::Apply(const Handlers& handlers, const kube::admission::Reach& reach) {
  std::optional<std::string> problem = ApplyAll(handlers, reach);
  if (problem && problem != told_problem_) tell_(*problem);
  told_problem_ = std::move(problem);
}

// The first problem; absent: there is none.
std::optional<std::string> WebhookConfigurations::ApplyAll(const Handlers& handlers,
                                                           const kube::admission::Reach& reach) {
  std::optional<std::string> problem;
  bool are_put_back = false, are_led_back = false;
  for (ManagedConfiguration& one : both_) {
    const auto change = one.Apply(handlers, reach);
    if (!change && !problem) problem = change.error().message;
    are_put_back = are_put_back || (change && *change == ConfigurationChange::kPutBack);
    are_led_back = are_led_back || (change && *change == ConfigurationChange::kLedBack);
  }
  if (are_put_back) {
    tell_("the webhooks of " + name_ +
          " were taken away, as by a replica that ended, and are there again");
  }
  if (are_led_back && !std::exchange(is_leading_back_told_, true)) {
    tell_("note: the webhooks of " + name_ +
          " led to another program, and lead here again; a program at another address needs "
          "another --managed");
  }
  return problem;
}

void WebhookConfigurations::Withdraw(const Handlers& handlers) {
  bool are_taken_away = false;
  for (ManagedConfiguration& one : both_) {
    if (!one.has_webhooks()) continue;
    const auto change = one.Withdraw(handlers);
    are_taken_away = are_taken_away || (change && *change == ConfigurationChange::kTakenAway);
    if (change) continue;
    tell_("webhooks stay configured, and cost each write some time: " + change.error().message +
          "; remove them by: kubectl delete " + one.ResourceName() + " " + name_);
  }
  if (!are_taken_away) return;
  tell_("the webhooks of " + name_ +
        " are taken away; a replica that goes on puts its own there within five seconds");
}

namespace {

using kube::base::Clock;

constexpr std::chrono::seconds kFilesPause(1);
constexpr std::chrono::seconds kConfigurationPause(5);
// How long requests may take that are under way at the end: most are answered within milliseconds.
constexpr std::chrono::seconds kGrace(10);

/// What one thread has freed is there for all, and bodies of megabytes go back to the system: a
/// flood of connections would else leave 30 MiB to nobody, and large reviews take 20 more.
void KeepLittleFreeMemory() {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // as at first; left alone, it grows with each body
}

/// True once every `pause`.
class Rhythm {
 public:
  Rhythm(const Clock& clock, Clock::Duration pause)
      : clock_(clock), pause_(pause), due_(clock.Now() + pause) {}
  bool IsDue() {
    if (clock_.Now() < due_) return false;
    due_ = clock_.Now() + pause_;
    return true;
  }

 private:
  const Clock& clock_;
  const Clock::Duration pause_;
  Clock::TimePoint due_;
};

kube::serve::ServerOptions ServerOptionsOf(const ServingOptions& options,
                                           const ServerCertificate& certificate,
                                           const LogFunction& tell) {
  kube::serve::ServerOptions server;
  server.address = options.address;
  server.port = static_cast<std::uint16_t>(options.port);
  server.tls = certificate.material();
  server.request.body_bytes = kube::admission::kMostReviewBytes;
  server.weigh = kube::admission::Endpoint::Weigh;
  server.report = tell;
  return server;
}

/// A run from its beginning to its end.
class Run {
 public:
  Run(const ServingOptions& options, const Webhooks& webhooks, const kube::client::Session& session,
      const LogFunction& tell, CertificateNews& news, TurnedAwayNews& turned_away)
      : options_(options),
        webhooks_(webhooks),
        session_(session),
        tell_(tell),
        news_(news),
        turned_away_(turned_away),
        place_(FindPlace(options, {session.client, webhooks.server_certificate})),
        certificate_(options, CertificateNames(options, place_), std::chrono::system_clock::now()),
        server_(ServerOptionsOf(options, certificate_, tell), webhooks.endpoint.answerer()) {
    if (!options.managed.empty()) configurations_.emplace(options.managed, session.client, tell);
  }

  void Begin(const std::function<void(const std::string&)>& print) {
    const std::string& name = options_.managed.empty() ? webhooks_.printed_name : options_.managed;
    revision_ = webhooks_.revision();
    const Handlers handlers = webhooks_.configured();
    const std::vector<std::string> problems =
        kube::admission::ConfigurationProblems(handlers, name, Reach());
    if (!problems.empty()) throw kube::base::Error(kube::base::Join(problems, "; "));
    // Requests come as soon as the configuration is there.
    LookAtServer();
    if (configurations_) {
      configurations_->ApplyFirst(handlers, Reach());
    } else if (!options_.insecure || !options_.url.empty()) {
      print(kube::admission::PrintConfigurations(handlers, name, Reach()));
    }
    tell_("serving at port " + std::to_string(server_.port()));
  }

  void GoOn() {
    Rhythm files(session_.clock, kFilesPause), configuration(session_.clock, kConfigurationPause);
    while (migrate::cluster::PauseUntil(session_.clock.Now() + migrate::cluster::kTick, session_)) {
      webhooks_.advance();
      const bool is_second = files.IsDue();
      const bool has_new_authority = is_second && ReadFiles();
      if (is_second) LookAtServer();
      const std::uint64_t revision = webhooks_.revision();
      const bool has_new_handlers = std::exchange(revision_, revision) != revision;
      const bool is_due = configuration.IsDue();
      if (!configurations_ || session_.is_stopped()) continue;
      if (!has_new_authority && !has_new_handlers && !is_due) continue;
      configurations_->Apply(webhooks_.configured(), Reach());
    }
  }

  void End() {
    webhooks_.endpoint.SetReady(false);
    const std::size_t cut_off = server_.Stop(kGrace);
    if (cut_off > 0) tell_(kube::base::Count(cut_off, "request") + " could not be answered");
    if (configurations_) configurations_->Withdraw(webhooks_.configured());
  }

 private:
  kube::admission::Reach Reach() const {
    return MakeReach(options_, place_, server_.port(), certificate_.ca_bundle());
  }

  void LookAtServer() {
    const auto now = std::chrono::system_clock::now();
    const kube::serve::ServerCounts counts = server_.counts();
    news_.NoteHandshakes(counts, place_.host, session_.clock.Now());
    turned_away_.Note(counts, session_.clock.Now());
    // Behind --url the certificate of somebody else is verified.
    if (!options_.url.empty()) {
      news_.NoteExpiry(certificate_.material(), now);
      webhooks_.endpoint.SetReady(true);
    } else {
      webhooks_.endpoint.SetReady(
          news_.IsTrusted(certificate_.material(), certificate_.ca_bundle(), now));
    }
  }

  // True if configurations have to say another authority.
  bool ReadFiles() {
    const ServerCertificate::Change change = certificate_.ReadChanges(tell_);
    if (change.material) {
      server_.UseTls(*certificate_.material());
      tell_("serving with the new certificate");
    }
    return change.ca_bundle;
  }

  const ServingOptions& options_;
  const Webhooks& webhooks_;
  const kube::client::Session session_;
  const LogFunction& tell_;
  CertificateNews& news_;
  TurnedAwayNews& turned_away_;
  const WebhookPlace place_;
  ServerCertificate certificate_;
  kube::serve::Server server_;
  std::optional<WebhookConfigurations> configurations_;
  std::uint64_t revision_ = 0;
};

}  // namespace

void ServeWebhooks(const ServingOptions& options, const Webhooks& webhooks,
                   const kube::client::Session& session, const LogFunction& tell,
                   const std::function<void(const std::string&)>& print) {
  KeepLittleFreeMemory();
  const auto news = std::make_shared<CertificateNews>(tell);
  webhooks.endpoint.AddMetrics([news] { return news->PrintMetrics(); });
  const auto turned_away = std::make_shared<TurnedAwayNews>(tell);
  webhooks.endpoint.AddMetrics([turned_away] { return turned_away->PrintMetrics(); });
  Run run(options, webhooks, session, tell, *news, *turned_away);
  try {
    run.Begin(print);
    run.GoOn();
  } catch (...) {
    run.End();
    throw;
  }
  run.End();
}

}  // namespace plugin::command
