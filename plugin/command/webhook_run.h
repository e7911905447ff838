#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/admission/configuration.h"
#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/admission/managed_configuration.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

/// Where an API server finds us.
struct WebhookPlace {
  std::string host;         ///< what it calls us; empty with --url
  bool is_service = false;  ///< the host is that of a Service: NAME.NAMESPACE.svc
};

/// The API server that is to ask us, for as long as somebody wants to know what it is.
struct AskingServer {
  kube::client::Client& client;
  /// Gives its certificate, PEM; empty if it is not known.
  std::function<std::string()> certificate;
};

/// By the options, or, where they leave it open, by what the API server is, as its certificate or
/// its version says: one of k3s is taken for one of k3d, those of minikube and Docker Desktop have
/// a name for the machine that they run on, too, and any other reaches this machine by the address
/// that is listened at, or as localhost. Asks `server` only where it has to.
WebhookPlace FindPlace(const ServingOptions& options, const AskingServer& server);

/// The names that a certificate for it needs: the host, the address, those that are added.
std::vector<std::string> CertificateNames(const ServingOptions& options, const WebhookPlace& place);

/// The same for configurations. A Service has the port 443, whatever ours is.
kube::admission::Reach MakeReach(const ServingOptions& options, const WebhookPlace& place,
                                 std::uint16_t port, const std::string& ca_bundle);

/// Both configurations of --managed, kept as they should be while a run goes on.
class WebhookConfigurations {
 public:
  /// Takes a line for people, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// `client` and `tell` must outlive it.
  WebhookConfigurations(std::string name, kube::client::Client& client, const LogFunction& tell);

  /// Throws kube::base::Error for the first problem.
  void ApplyFirst(const kube::admission::Handlers& handlers, const kube::admission::Reach& reach);
  /// The same later: a problem is told once while it lasts. That webhooks of ours were taken away,
  /// and are put back, is told each time: requests passed meanwhile. That they led to another
  /// program is told once: the two may go on like that.
  void Apply(const kube::admission::Handlers& handlers, const kube::admission::Reach& reach);
  /// Takes the webhooks of ours away, but for persistent ones, and tells so; where that fails it is
  /// told how to.
  void Withdraw(const kube::admission::Handlers& handlers);

 private:
  std::optional<std::string> ApplyAll(const kube::admission::Handlers& handlers,
                                      const kube::admission::Reach& reach);

  const LogFunction& tell_;
  const std::string name_;
  std::array<kube::admission::ManagedConfiguration, 2> both_;
  bool is_leading_back_told_ = false;
  std::optional<std::string> told_problem_;
};

/// What is served.
struct Webhooks {
  kube::admission::Endpoint& endpoint;
  /// The handlers as configurations have them; may be others each time.
  std::function<kube::admission::Handlers()> configured;
  /// Becomes another number when `configured` gives others.
  std::function<std::uint64_t()> revision;
  /// Is called several times a second, by the thread that serves.
  std::function<void()> advance;
  /// Gives the API server's certificate, PEM; empty if it is not known.
  std::function<std::string()> server_certificate;
  /// What configurations that are printed are called: two words of a DNS name at least.
  std::string printed_name;
};

/// Takes a line for people, without a line break; called by several threads at once.
using LogFunction = std::function<void(const std::string&)>;

/// Serves webhooks until the session is stopped, and then ends in this order: no more requests are
/// taken, those under way are answered, and webhooks of ours that are not persistent are removed
/// from the configurations of --managed.
///
/// Once for an endpoint, to which it adds metrics. It is ready while its certificate is one that
/// whoever verifies it can be expected to take.
///
/// Without --managed the configurations are printed, once they can be answered, by `print`.
///
/// Files of certificates are read again about once a second. Managed configurations are brought to
/// what they should be when handlers or the authority change, and every five seconds beside: a
/// replica that ended has taken them away, or somebody else has. What fails of that is told, and
/// tried again, but for the first time: then, and where the server cannot listen or a certificate
/// cannot be used, it throws kube::base::Error.
void ServeWebhooks(const ServingOptions& options, const Webhooks& webhooks,
                   const kube::client::Session& session, const LogFunction& tell,
                   const std::function<void(const std::string&)>& print);

}  // namespace plugin::command
