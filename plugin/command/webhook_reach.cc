#include "plugin/command/webhook_reach.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kube/admission/server_kind.h"
#include "kube/serve/certificates.h"

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

}  // namespace plugin::command
