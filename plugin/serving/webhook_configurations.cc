#include "plugin/serving/webhook_configurations.h"

#include <utility>

#include "kube/base/error.h"

namespace plugin::serving {

using kube::admission::ConfigurationChange;
using kube::admission::ConfigurationKind;
using kube::admission::Handlers;
using kube::admission::ManagedConfiguration;

WebhookConfigurations::WebhookConfigurations(std::string name, kube::client::Client& client,
                                             const TellFunction& tell)
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
  for (ManagedConfiguration& one : both_) {
    const auto change = one.Apply(handlers, reach);
    if (!change && !problem) problem = change.error().message;
    const bool is_restored = change && *change == ConfigurationChange::kRestored;
    if (!is_restored || std::exchange(is_restoring_told_, true)) continue;
    tell_("note: somebody had changed the webhooks of " + name_ +
          ", which are as they were again; a program at another address needs another --managed");
  }
  return problem;
}

void WebhookConfigurations::Withdraw(const Handlers& handlers) {
  for (ManagedConfiguration& one : both_) {
    if (!one.has_webhooks()) continue;
    const auto change = one.Withdraw(handlers);
    if (change) continue;
    tell_("webhooks stay configured, and cost each write some time: " + change.error().message +
          "; remove them by: kubectl delete " + one.ResourceName() + " " + name_);
  }
}

}  // namespace plugin::serving
