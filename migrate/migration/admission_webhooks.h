#pragma once

#include <string>
#include <vector>

#include "kube/client/client.h"

namespace migrate::migration {

/// The resource whose updates are meant.
struct UpdatedResource {
  std::string group, plural;
  std::vector<std::string> served_versions;
  std::string written_version;
  bool is_namespaced = true;
};

struct UpdateWebhooks {
  std::vector<std::string> names;  ///< sorted, each once
  /// Why they are not known, as a rule as they may not be read; empty if they are.
  std::string unknown_because;
};

/// Finds the validating and mutating admission webhooks that are asked about updates of a resource.
/// What selectors and match conditions leave out of that is not looked at.
UpdateWebhooks FindUpdateWebhooks(const UpdatedResource& resource, kube::client::Client& client);

/// True if a webhook of a ValidatingWebhookConfiguration or MutatingWebhookConfiguration is asked
/// (apiserver pkg/admission/plugin/webhook/predicates/rules, and matchPolicy).
bool MatchesUpdates(const kube::json::Value& webhook, const UpdatedResource& resource);

}  // namespace migrate::migration
