#include "migrate/migration/admission_webhooks.h"

#include <algorithm>
#include <string_view>

#include "kube/client/answer_meaning.h"

namespace migrate::migration {
namespace {

using kube::json::Value;

constexpr std::string_view kAdmissionGroup = "/apis/admissionregistration.k8s.io/";

bool Has(const Value& rule, std::string_view key, std::string_view wanted) {
  return std::ranges::any_of(rule.At(key).elements(), [&](const Value& element) {
    return element.text() == "*" || element.text() == wanted;
  });
}

// "widgets", "widgets/*", "*", "*/*"; not "widgets/status".
bool HasResource(const Value& rule, std::string_view plural) {
  return std::ranges::any_of(rule.At("resources").elements(), [&](const Value& element) {
    const std::string_view text = element.text();
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view name = text.substr(0, slash);
    const std::string_view subresource = text.substr(std::min(slash + 1, text.size()));
    return (name == "*" || name == plural) && (subresource.empty() || subresource == "*");
  });
}

bool HasScope(const Value& rule, bool is_namespaced) {
  const std::string_view scope = rule.FindText("scope");
  return scope.empty() || scope == "*" || scope == (is_namespaced ? "Namespaced" : "Cluster");
}

// With matchPolicy Equivalent the object is converted for a webhook that knows another version.
bool HasVersion(const Value& rule, bool any_served, const UpdatedResource& resource) {
  if (!any_served) return Has(rule, "apiVersions", resource.written_version);
  return std::ranges::any_of(resource.served_versions, [&](const std::string& version) {
    return Has(rule, "apiVersions", version);
  });
}

/// Reads configurations of one kind.
class WebhookFinder {
 public:
  WebhookFinder(const UpdatedResource& resource, kube::client::Client& client)
      : resource_(resource), client_(client) {}

  UpdateWebhooks Find() {
    for (const char* plural :
         {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}) {
      Read(plural);
    }
    std::sort(found_.names.begin(), found_.names.end());
    found_.names.erase(std::unique(found_.names.begin(), found_.names.end()), found_.names.end());
    return std::move(found_);
  }

 private:
  void Read(const std::string& plural) {
    auto list = client_.Get(std::string(kAdmissionGroup) + "v1/" + plural);
    if (!list && MeaningOf(list.error()) == kube::client::Meaning::kNotFound) {
      list = client_.Get(std::string(kAdmissionGroup) + "v1beta1/" + plural);
    }
    if (!list) {
      found_.unknown_because = list.error().message;
      return;
    }
    for (const Value& configuration : (*list)->root().At("items").elements()) {
      for (const Value& webhook : configuration.At("webhooks").elements()) {
        if (MatchesUpdates(webhook, resource_)) found_.names.emplace_back(webhook.FindText("name"));
      }
    }
  }

  const UpdatedResource& resource_;
  kube::client::Client& client_;
  UpdateWebhooks found_;
};

}  // namespace

bool MatchesUpdates(const Value& webhook, const UpdatedResource& resource) {
  const Value* rules = webhook.Find("rules");
  if (rules == nullptr) return false;
  const bool is_equivalent = webhook.FindText("matchPolicy") != "Exact";
  return std::ranges::any_of(rules->elements(), [&](const Value& rule) {
    return Has(rule, "operations", "UPDATE") && Has(rule, "apiGroups", resource.group) &&
           HasResource(rule, resource.plural) && HasScope(rule, resource.is_namespaced) &&
           HasVersion(rule, is_equivalent, resource);
  });
}

UpdateWebhooks FindUpdateWebhooks(const UpdatedResource& resource, kube::client::Client& client) {
  return WebhookFinder(resource, client).Find();
}

}  // namespace migrate::migration
