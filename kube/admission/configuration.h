#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/json/json.h"

/// ValidatingWebhookConfiguration and MutatingWebhookConfiguration: how an API server learns of
/// handlers.
namespace kube::admission {

enum class ConfigurationKind : std::uint8_t { kValidating, kMutating };

/// Whether the handler's webhook belongs into a configuration of the kind.
bool IsOfKind(const Handler& handler, ConfigurationKind kind);
/// "ValidatingWebhookConfiguration".
std::string_view KindName(ConfigurationKind kind);
/// "validatingwebhookconfigurations".
std::string_view PluralName(ConfigurationKind kind);

inline constexpr std::string_view kConfigurationGroup = "admissionregistration.k8s.io";

/// A Service of the cluster that leads to us.
struct ServiceReference {
  std::string namespace_, name;
  std::string path{};  ///< before the handler's: "/hooks"; may be empty
  int port = 443;
};

/// Where the API server reaches us: at a URL or by a Service, one of the two.
struct Reach {
  std::string url{};  ///< before the handler's path: "https://host.k3d.internal:9443"
  std::optional<ServiceReference> service{};
  /// Certificates, as PEM, that ours is verified by. Empty: those that the API server trusts.
  std::string ca_bundle{};
};

/// What the API server would refuse in the configurations of that name, one text a fault. Handlers
/// were checked when they were added.
std::vector<std::string> ConfigurationProblems(const Handlers& handlers, std::string_view name,
                                               const Reach& reach);

/// The webhooks of the handlers of that kind, an array in their order. Each asks at the handler's
/// own path, with matchPolicy Equivalent and both review versions.
/// Borrows from all of its arguments.
json::Value MakeWebhooks(const Handlers& handlers, ConfigurationKind kind, std::string_view name,
                         const Reach& reach, json::Arena& arena);

/// The configuration with these webhooks. `version` is v1, or v1beta1 for servers before 1.16.
/// Borrows from all of its arguments.
json::Value MakeConfiguration(ConfigurationKind kind, std::string_view version,
                              std::string_view name, const json::Value& webhooks,
                              json::Arena& arena);

/// Both configurations as YAML for `kubectl apply`; one without a handler of its kind is left out.
std::string PrintConfigurations(const Handlers& handlers, std::string_view name, const Reach& reach,
                                std::string_view version = "v1");

}  // namespace kube::admission
