#include "kube/admission/managed_configuration.h"

#include <algorithm>
#include <utility>

#include "kube/admission/handler.h"
#include "kube/client/answer_meaning.h"

namespace kube::admission {
namespace {

using client::Meaning;
using json::Arena;
using json::Value;

// Each time somebody else came between; they have their own work, so a few rounds are enough.
constexpr int kMostRounds = 10;

/// The webhooks of an object; empty where it has none.
Value WebhooksOf(const Value& object) {
  const Value* webhooks = object.Find("webhooks", json::Type::kArray);
  return webhooks == nullptr ? Value::Array() : *webhooks;
}

/// A copy without the webhooks of ours; it shares their values.
Value ForeignOf(const Value& webhooks, std::string_view name, Arena& arena) {
  Value foreign = Value::Array();
  for (const Value& webhook : webhooks.elements()) {
    if (!IsOurWebhook(webhook.FindText("name"), name)) foreign.Append(webhook, arena);
  }
  return foreign;
}

/// Whether a webhook asks where we are reached.
bool LeadsTo(const Value& webhook, const Reach& reach) {
  const Value& config = webhook.At("clientConfig");
  if (!reach.service) return config.FindText("url").starts_with(reach.url + "/");
  const Value& service = config.At("service");
  return service.FindText("name") == reach.service->name &&
         service.FindText("namespace") == reach.service->namespace_;
}

/// Those of ours that stay: of persistent handlers, or of another program of the same name. Where
/// `reach` is the null pointer nobody knows of another one.
Value StayingOf(const Value& webhooks, const Handlers& handlers, std::string_view name,
                const Reach* reach, Arena& arena) {
  Value staying = Value::Array();
  for (const Value& webhook : webhooks.elements()) {
    const std::string_view webhook_name = webhook.FindText("name");
    if (!IsOurWebhook(webhook_name, name)) continue;
    const bool is_persistent = std::ranges::any_of(handlers.all(), [&](const Handler& handler) {
      return handler.options.persistent && WebhookName(handler.id, name) == webhook_name;
    });
    if (is_persistent || (reach != nullptr && !LeadsTo(webhook, *reach))) {
      staying.Append(webhook, arena);
    }
  }
  return staying;
}

std::string_view ResourceVersionOf(const Value& object) {
  return object.At("metadata").FindText("resourceVersion");
}

/// Whether a 404 is about the object; else there is no such resource at this version.
bool NamesObject(const client::CallError& error, const std::string& name) {
  return error.status && error.status->name == name;
}

}  // namespace

ManagedConfiguration::Outcome ManagedConfiguration::Apply(const Handlers& handlers,
                                                          const Reach& reach) {
  grace_ = {};
  Arena arena;
  const Value webhooks = MakeWebhooks(handlers, kind_, name_, reach, arena);
  Made made;
  made.webhooks = json::Print(webhooks);
  made.reach = reach;
  for (const Value& webhook : webhooks.elements()) {
    made.names.emplace_back(webhook.FindText("name"));
  }
  return Bring([&](const Value&, Arena&) { return webhooks; }, &made);
}

ManagedConfiguration::Outcome ManagedConfiguration::Withdraw(const Handlers& handlers,
                                                             base::Clock::Duration grace) {
  grace_ = grace;
  const auto staying = [&](const Value& existing, Arena& arena) {
    return StayingOf(existing, handlers, name_, made_ ? &made_->reach : nullptr, arena);
  };
  const Outcome outcome = Bring(staying, nullptr);
  if (!outcome || *outcome == ConfigurationChange::kNone) return outcome;
  return ConfigurationChange::kTakenAway;
}

/// Reads the object and writes what it should be, anew where somebody else was faster. `made` is
/// what that is, where it is to be kept; else the null pointer.
ManagedConfiguration::Outcome ManagedConfiguration::Bring(const OurWebhooks& ours, Made* made) {
  const bool may_create = made != nullptr && !made->names.empty();
  const bool is_same = made != nullptr && made_ && made->webhooks == made_->webhooks;
  auto repair = ConfigurationChange::kNone;  // of what somebody else has done
  std::string last;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto object = Read();
    const bool is_absent = !object && MeaningOf(object.error()) == Meaning::kNotFound;
    if (is_absent && !may_create) return ConfigurationChange::kNone;
    if (!object && !is_absent) return base::Unexpected(ProblemOf("get", object.error()));
    if (object && !may_create && HasNoneToTakeAway((*object)->root(), ours)) {
      return ConfigurationChange::kNone;
    }
    if (object && is_same && ResourceVersionOf((*object)->root()) == made_->resource_version) {
      return ConfigurationChange::kNone;
    }
    if (is_same && repair == ConfigurationChange::kNone) {
      repair = is_absent ? ConfigurationChange::kPutBack : RepairOf(*made_, (*object)->root());
    }
    const auto written = is_absent ? Create(ours) : Replace((*object)->root(), ours);
    if (written) {
      if (made != nullptr) {
        made->resource_version = ResourceVersionOf((*written)->root());
        made_ = std::move(*made);
      }
      if (repair != ConfigurationChange::kNone) return repair;
      return is_absent ? ConfigurationChange::kCreated : ConfigurationChange::kReplaced;
    }
    const Meaning meaning = MeaningOf(written.error());
    // A create finds that it exists meanwhile, a patch that it was changed or deleted.
    const bool may_retry =
        meaning == Meaning::kConflict || (!is_absent && meaning == Meaning::kNotFound);
    if (!may_retry) {
      return base::Unexpected(ProblemOf(is_absent ? "create" : "patch", written.error()));
    }
    last = written.error().message;
  }
  return base::Unexpected(ConfigurationProblem{
      ConfigurationProblem::Kind::kContended,
      ResourceName() + " \"" + name_ + "\" was changed by somebody else each time: " + last +
          "; look for another program that manages it"});
}

/// What it is to bring the webhooks in `object` back to what was made; kNone: they are there.
ConfigurationChange ManagedConfiguration::RepairOf(const Made& made, const Value& object) {
  const Value webhooks = WebhooksOf(object);
  auto repair = ConfigurationChange::kNone;
  for (const std::string& name : made.names) {
    const auto named = [&name](const Value& webhook) { return webhook.FindText("name") == name; };
    const auto webhook = std::ranges::find_if(webhooks.elements(), named);
    if (webhook == webhooks.elements().end()) {
      repair = ConfigurationChange::kPutBack;
    } else if (!LeadsTo(*webhook, made.reach)) {
      return ConfigurationChange::kLedBack;
    }
  }
  return repair;
}

bool ManagedConfiguration::HasNoneToTakeAway(const Value& object, const OurWebhooks& ours) const {
  const Value webhooks = WebhooksOf(object);
  Arena arena;
  return ours(webhooks, arena).size() + ForeignOf(webhooks, name_, arena).size() == webhooks.size();
}

client::DocumentResult ManagedConfiguration::Read() {
  auto object = Send("GET", name_, "", "");
  const bool is_missing = !object && MeaningOf(object.error()) == Meaning::kNotFound;
  // Servers before 1.16 have v1beta1 only, those from 1.22 on v1 only.
  if (!is_missing || NamesObject(object.error(), name_) || version_ != "v1") return object;
  version_ = "v1beta1";
  auto older = Send("GET", name_, "", "");
  if (!older && MeaningOf(older.error()) == Meaning::kNotFound &&
      !NamesObject(older.error(), name_)) {
    version_ = "v1";
  }
  return older;
}

client::DocumentResult ManagedConfiguration::Create(const OurWebhooks& ours) {
  Arena arena;
  const Value configuration =
      MakeConfiguration(kind_, version_, name_, ours(Value::Array(), arena), arena);
  return Send("POST", "", "application/json", json::Print(configuration));
}

/// A merge patch replaces the list as a whole; with the resourceVersion it is refused where the
/// list is no longer the one that was read.
client::DocumentResult ManagedConfiguration::Replace(const Value& object, const OurWebhooks& ours) {
  Arena arena;
  const Value existing = WebhooksOf(object);
  Value webhooks = ForeignOf(existing, name_, arena);
  const Value anew = ours(existing, arena);
  for (const Value& webhook : anew.elements()) webhooks.Append(webhook, arena);
  const Value* metadata = object.Find("metadata");
  Value patch = Value::Object();
  Value* guard = patch.Set("metadata", Value::Object(), arena);
  if (metadata != nullptr) {
    guard->Set("resourceVersion", Value::String(metadata->FindText("resourceVersion")), arena);
  }
  patch.Set("webhooks", webhooks, arena);
  return Send("PATCH", name_, "application/merge-patch+json", json::Print(patch));
}

client::DocumentResult ManagedConfiguration::Send(std::string method, const std::string& name,
                                                  std::string content_type, std::string body) {
  client::ApiRequest request;
  request.method = std::move(method);
  request.target = "/apis/" + std::string(kConfigurationGroup) + "/" + version_ + "/" +
                   std::string(PluralName(kind_));
  if (!name.empty()) request.target += "/" + client::UrlEscape(name);
  request.content_type = std::move(content_type);
  request.body = std::move(body);
  request.grace = grace_;
  return client_.Send(std::move(request));
}

std::string ManagedConfiguration::ResourceName() const {
  return std::string(PluralName(kind_)).append(".").append(kConfigurationGroup);
}

ConfigurationProblem ManagedConfiguration::ProblemOf(std::string_view verb,
                                                     const client::CallError& error) const {
  using Kind = ConfigurationProblem::Kind;
  if (MeaningOf(error) != Meaning::kForbidden) return {Kind::kOther, error.message};
  return {Kind::kForbidden, "may not " + std::string(verb) + " " + ResourceName() + " \"" + name_ +
                                "\": " + error.message +
                                "; have a ClusterRole allow get, create and patch of " +
                                ResourceName() + ", or apply the configuration by hand"};
}

}  // namespace kube::admission
