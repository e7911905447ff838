#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/admission/configuration.h"
#include "kube/client/client.h"
#include "plugin/serving/serving_options.h"

namespace plugin::serving {

/// Where an API server finds us.
struct WebhookPlace {
  std::string host;         ///< what it calls us; empty with --url
  bool is_service = false;  ///< the host is that of a Service: NAME.NAMESPACE.svc
};

/// By the options, or, where they leave it open, by what the API server is: one of k3s is taken for
/// one of k3d, and any other reaches this machine by the address that is listened at, or as
/// localhost. Asks `client` where it has to.
///
/// An API server of minikube or Docker Desktop is not recognised, as its certificate is not known
/// here: --reach or --host name it.
WebhookPlace FindPlace(const ServingOptions& options, kube::client::Client& client);

/// The names that a certificate for it needs: the host, the address, those that are added.
std::vector<std::string> CertificateNames(const ServingOptions& options, const WebhookPlace& place);

/// The same for configurations. A Service has the port 443, whatever ours is.
kube::admission::Reach MakeReach(const ServingOptions& options, const WebhookPlace& place,
                                 std::uint16_t port, const std::string& ca_bundle);

}  // namespace plugin::serving
