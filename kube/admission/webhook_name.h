#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::admission {

/// A handler's id as part of a name: "/" is ".", and "_" is "-".
std::string NameOfId(std::string_view id);
/// A handler's id as a path below a service, whose segments have to be DNS names (apiserver
/// pkg/util/webhook ValidateWebhookService): "_" is "-".
std::string PathOfId(std::string_view id);

/// The webhook of a handler in the configuration `configuration`: "fn.spec.guard.example.com".
std::string WebhookName(std::string_view id, std::string_view configuration);
/// True if a webhook of that name is one of ours in the configuration.
bool IsOurWebhook(std::string_view name, std::string_view configuration);

/// What the API server has against the name of a webhook (apimachinery
/// pkg/util/validation.IsFullyQualifiedName); absent where it takes it.
std::optional<std::string> WebhookNameProblem(std::string_view name);

}  // namespace kube::admission
