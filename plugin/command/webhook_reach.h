#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kube/admission/configuration.h"
#include "kube/client/client.h"
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

}  // namespace plugin::command
