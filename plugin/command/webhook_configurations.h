#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "kube/admission/configuration.h"
#include "kube/admission/handler.h"
#include "kube/admission/managed_configuration.h"
#include "kube/client/client.h"

namespace plugin::command {

/// Both configurations of --managed, kept as they should be while a run goes on.
class WebhookConfigurations {
 public:
  /// Takes a line for people, without a line break.
  using TellFunction = std::function<void(const std::string&)>;

  /// `client` and `tell` must outlive it.
  WebhookConfigurations(std::string name, kube::client::Client& client, const TellFunction& tell);

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

  const TellFunction& tell_;
  const std::string name_;
  std::array<kube::admission::ManagedConfiguration, 2> both_;
  bool is_leading_back_told_ = false;
  std::optional<std::string> told_problem_;
};

}  // namespace plugin::command
