#include "kube/admission/configuration.h"

#include <initializer_list>

#include "kube/admission/handler.h"
#include "kube/base/base64.h"
#include "kube/go/go_url.h"
#include "kube/meta/names.h"
#include "kube/yaml/yaml.h"

namespace kube::admission {
namespace {

using json::Arena;
using json::Value;

/// A path or URL without what would double the slash before the handler's path.
std::string_view WithoutSlashAtEnd(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

template <typename Texts>
Value TextsOf(const Texts& texts, Arena& arena) {
  Value list = Value::Array();
  for (const std::string_view text : texts) list.Append(Value::String(text), arena);
  return list;
}

Value TextsOf(std::initializer_list<std::string_view> texts, Arena& arena) {
  return TextsOf<std::initializer_list<std::string_view>>(texts, arena);
}

Value ServiceOf(const ServiceReference& service, std::string_view id, Arena& arena) {
  Value value = Value::Object();
  value.Set("namespace", Value::String(service.namespace_), arena);
  value.Set("name", Value::String(service.name), arena);
  const std::string path =
      std::string(WithoutSlashAtEnd(service.path)).append("/").append(PathOfId(id));
  value.Set("path", Value::String(arena.Copy(path)), arena);
  value.Set("port", Value::Number(service.port, arena), arena);
  return value;
}

Value ClientConfigOf(const Reach& reach, std::string_view id, Arena& arena) {
  Value config = Value::Object();
  if (reach.service) {
    config.Set("service", ServiceOf(*reach.service, id, arena), arena);
  } else {
    const std::string url = std::string(WithoutSlashAtEnd(reach.url)).append("/").append(id);
    config.Set("url", Value::String(arena.Copy(url)), arena);
  }
  if (!reach.ca_bundle.empty()) {
    const std::string_view bundle = arena.Copy(base::EncodeBase64(reach.ca_bundle));
    config.Set("caBundle", Value::String(bundle), arena);
  }
  return config;
}

/// What a rule calls the resource and the subresource: "widgets", "widgets/status", "widgets/*".
std::string RuleResource(const Resource& resource, const std::string& subresource) {
  return subresource.empty() ? resource.plural : resource.plural + "/" + subresource;
}

Value RuleOf(const Resource& resource, const HandlerOptions& options, Arena& arena) {
  Value rule = Value::Object();
  rule.Set("apiGroups", TextsOf({resource.group}, arena), arena);
  rule.Set("apiVersions", TextsOf({resource.version}, arena), arena);
  const std::string_view name = arena.Copy(RuleResource(resource, options.subresource));
  rule.Set("resources", TextsOf({name}, arena), arena);
  std::vector<std::string_view> operations;
  for (const Operation operation : options.operations) {
    operations.push_back(OperationName(operation));
  }
  if (operations.empty()) operations.emplace_back("*");
  rule.Set("operations", TextsOf(operations, arena), arena);
  rule.Set("scope", Value::String(options.namespaced_only ? "Namespaced" : "*"), arena);
  return rule;
}

Value WebhookOf(const Handler& handler, std::string_view name, const Reach& reach, Arena& arena) {
  const HandlerOptions& options = handler.options;
  Value webhook = Value::Object();
  webhook.Set("name", Value::String(arena.Copy(WebhookName(handler.id, name))), arena);
  webhook.Set("clientConfig", ClientConfigOf(reach, handler.id, arena), arena);
  Value* rules = webhook.Set("rules", Value::Array(), arena);
  for (const Resource& resource : options.resources) {
    rules->Append(RuleOf(resource, options, arena), arena);
  }
  if (!options.object.labels.empty()) {
    webhook.Set("objectSelector", LabelSelectorJson(options.object.labels, arena), arena);
  }
  if (!options.namespace_labels.empty()) {
    webhook.Set("namespaceSelector", LabelSelectorJson(options.namespace_labels, arena), arena);
  }
  const auto set = [&](std::string_view key, std::string_view text) {
    webhook.Set(key, Value::String(text), arena);
  };
  set("matchPolicy", "Equivalent");
  set("sideEffects", options.side_effects ? "NoneOnDryRun" : "None");
  set("failurePolicy", options.ignore_failures ? "Ignore" : "Fail");
  if (handler.is_mutating() && options.is_reinvoked) set("reinvocationPolicy", "IfNeeded");
  webhook.Set("timeoutSeconds", Value::Number(options.timeout.count(), arena), arena);
  webhook.Set("admissionReviewVersions", TextsOf({"v1", "v1beta1"}, arena), arena);
  return webhook;
}

// apiserver pkg/util/webhook ValidateWebhookURL, whose texts these are.
void CheckUrl(const std::string& text, std::vector<std::string>& problems) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const auto add = [&](std::string_view what, std::string_view form = "") {
    problems.push_back("url \"" + text + "\": " + std::string(what).append(form));
  };
  const auto url = go::ParseUrl(text);
  if (!url) return add("url must be a valid URL: " + url.error(), kForm);
  if (url->scheme != "https") add("'https' is the only allowed URL scheme", kForm);
  if (url->host.empty()) add("host must be specified", kForm);
  if (url->user) add("user information is not permitted in the URL");
  if (!url->fragment.empty()) add("fragments are not permitted in the URL");
  if (!url->raw_query.empty()) add("query parameters are not permitted in the URL");
}

// The same, ValidateWebhookService.
void CheckService(const ServiceReference& service, std::vector<std::string>& problems) {
  if (service.name.empty()) problems.emplace_back("service: the name is missing");
  if (service.namespace_.empty()) problems.emplace_back("service: the namespace is missing");
  if (service.port < 1 || service.port > 65535) {
    problems.emplace_back("service: port is not valid: must be between 1 and 65535, inclusive");
  }
  std::string_view path = WithoutSlashAtEnd(service.path);
  if (path.empty()) return;
  const auto add = [&](std::string_view what) {
    problems.push_back("service: path \"" + service.path + "\": " + std::string(what));
  };
  if (!path.starts_with('/')) return add("must start with a '/'");
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view step = path.substr(0, path.find('/'));
    for (const std::string& problem : meta::Dns1123SubdomainProblems(step)) add(problem);
    path.remove_prefix(step.size());
  }
}

}  // namespace

bool IsOfKind(const Handler& handler, ConfigurationKind kind) {
  return handler.is_mutating() == (kind == ConfigurationKind::kMutating);
}

std::string_view KindName(ConfigurationKind kind) {
  return kind == ConfigurationKind::kValidating ? "ValidatingWebhookConfiguration"
                                                : "MutatingWebhookConfiguration";
}

std::string_view PluralName(ConfigurationKind kind) {
  return kind == ConfigurationKind::kValidating ? "validatingwebhookconfigurations"
                                                : "mutatingwebhookconfigurations";
}

std::vector<std::string> ConfigurationProblems(const Handlers& handlers, std::string_view name,
                                               const Reach& reach) {
  std::vector<std::string> problems;
  if (reach.url.empty() != reach.service.has_value()) {
    problems.emplace_back("exactly one of url or service is required");
  }
  if (!reach.url.empty()) CheckUrl(reach.url, problems);
  if (reach.service) CheckService(*reach.service, problems);
  for (const Handler& handler : handlers.all()) {
    const std::string webhook = WebhookName(handler.id, name);
    if (const auto problem = WebhookNameProblem(webhook)) {
      problems.push_back("webhook name \"" + webhook + "\": " + *problem);
    }
  }
  return problems;
}

Value MakeWebhooks(const Handlers& handlers, ConfigurationKind kind, std::string_view name,
                   const Reach& reach, Arena& arena) {
  Value webhooks = Value::Array();
  for (const Handler& handler : handlers.all()) {
    if (IsOfKind(handler, kind)) webhooks.Append(WebhookOf(handler, name, reach, arena), arena);
  }
  return webhooks;
}

Value MakeConfiguration(ConfigurationKind kind, std::string_view version, std::string_view name,
                        const Value& webhooks, Arena& arena) {
  Value configuration = Value::Object();
  const std::string api_version = std::string(kConfigurationGroup).append("/").append(version);
  configuration.Set("apiVersion", Value::String(arena.Copy(api_version)), arena);
  configuration.Set("kind", Value::String(KindName(kind)), arena);
  Value* metadata = configuration.Set("metadata", Value::Object(), arena);
  metadata->Set("name", Value::String(name), arena);
  configuration.Set("webhooks", webhooks, arena);
  return configuration;
}

std::string PrintConfigurations(const Handlers& handlers, std::string_view name, const Reach& reach,
                                std::string_view version) {
  std::string text;
  for (const auto kind : {ConfigurationKind::kValidating, ConfigurationKind::kMutating}) {
    Arena arena;
    const Value webhooks = MakeWebhooks(handlers, kind, name, reach, arena);
    if (webhooks.empty()) continue;
    if (!text.empty()) text += "---\n";
    yaml::PrintTo(text, MakeConfiguration(kind, version, name, webhooks, arena));
  }
  return text;
}

}  // namespace kube::admission
