#include "plugin/command/webhook_configurations.h"

#include <utility>

#include "kube/base/error.h"

namespace plugin::command {

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

}  // namespace plugin::command
