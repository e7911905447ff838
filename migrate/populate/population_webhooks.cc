#include "migrate/populate/population_webhooks.h"

#include <string>
#include <utility>
#include <vector>

#include "kube/admission/object_filter.h"
#include "migrate/populate/creator.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/refusal.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {
namespace {

using kube::admission::Review;
using kube::admission::Verdict;

/// The rights that a request needs, by the names of the templates.
std::vector<TemplateRight> NeededRights(const Review& review,
                                        const Population::Templates& templates) {
  const TargetNamespace now = ViewNamespace(review.object);
  const TargetNamespace before = ViewNamespace(review.old_object);
  const bool is_new = review.old_object == nullptr;
  std::vector<TemplateRight> needed;
  for (const auto& [name, each] : templates) {
    if (!each->requires_permission || !IsSelectedBy(now, each->selector)) continue;
    if (is_new || !IsSelectedBy(before, each->selector)) needed.push_back({kUseVerb, name});
  }
  return needed;
}

}  // namespace

Verdict CheckTemplateUse(const Review& review, const KnownPopulation& population,
                         AccessReviewer& access) {
  const std::optional<Population> known = population.current();
  if (!known) return Unavailable("the NamespaceTemplates of the cluster are not known yet");
  const std::vector<TemplateRight> needed = NeededRights(review, *known->templates);
  if (needed.empty()) return kube::admission::Allowed();
  const MissingRights missing = FindMissing(access, review.user, needed);
  if (missing.empty()) return kube::admission::Allowed();
  return RefuseMissing(missing, review.user, needed.front(),
                       "the namespace would be selected by templates that need permission");
}

namespace {

using kube::admission::Allowed;
using kube::admission::HandlerOptions;
using kube::admission::Handlers;
using kube::admission::ObjectDraft;
using kube::admission::Operation;
using kube::admission::Reply;

constexpr char kCreatorId[] = "creator";
constexpr char kOptOutId[] = "opt-out";
constexpr char kOptOutCheckId[] = "opt-out/check";
constexpr char kUseId[] = "use";
constexpr char kInitializersId[] = "initializers";
constexpr char kInitializationId[] = "initialization";
constexpr char kInitializationCheckId[] = "initialization/check";

/// A check of Namespaces. A review of one that does not show it is none of an API server.
template <typename Check>
kube::admission::ValidateFunction OfNamespaces(Check check) {
  return [check = std::move(check)](const Review& review, Reply&) -> Verdict {
    if (!IsOfNamespace(review)) return Allowed();
    if (review.object == nullptr) {
      return kube::admission::Refusal("request.object is missing", 400, "BadRequest");
    }
    return check(review);
  };
}

Verdict NotKnownYet() {
  return Unavailable("the NamespaceInitializationConfigurations of the cluster are not known yet");
}

}  // namespace

PopulationWebhooks::PopulationWebhooks(const KnownPopulation& population, AccessReviewer& access,
                                       WebhookOptions options)
    : population_(population),
      access_(access),
      options_(std::move(options)),
      initialization_(population, access,
                      {.timeout = options_.initialization_timeout, .now = options_.now}) {}

Handlers PopulationWebhooks::MakeHandlers() const {
  Handlers handlers;
  if (options_.creator.is_wanted) AddCreator(handlers);
  if (options_.opt_out.is_wanted) AddOptOut(handlers);
  if (options_.use.is_wanted) AddUse(handlers);
  if (options_.initialization.is_wanted) AddInitialization(handlers);
  return handlers;
}

// Of Namespaces that are created.
HandlerOptions PopulationWebhooks::OptionsOf(const WebhookChoice& choice) const {
  return {.resources = {{"", "v1", "namespaces"}},
          .operations = {Operation::kCreate},
          .persistent = options_.persistent,
          .ignore_failures = choice.ignore_failures,
          .timeout = options_.timeout};
}

HandlerOptions PopulationWebhooks::CheckOptionsOf(const WebhookChoice& choice) const {
  HandlerOptions options = OptionsOf(choice);
  options.operations.push_back(Operation::kUpdate);
  options.subresource = "*";
  return options;
}

void PopulationWebhooks::AddCreator(Handlers& handlers) const {
  handlers.Add(kube::admission::Mutate(kCreatorId, OptionsOf(options_.creator),
                                       [](const Review& review, Reply&, ObjectDraft& draft) {
                                         SetCreator(review, draft);
                                         return Allowed();
                                       }));
  handlers.Add(kube::admission::Validate(kCreatorCheckId, CheckOptionsOf(options_.creator),
                                         OfNamespaces(CheckCreator)));
}

void PopulationWebhooks::AddOptOut(Handlers& handlers) const {
  if (!options_.opt_out_users.empty()) {
    handlers.Add(kube::admission::Mutate(kOptOutId, OptionsOf(options_.opt_out),
                                         [this](const Review& review, Reply&, ObjectDraft& draft) {
                                           SetOptOut(review, options_.opt_out_users, draft);
                                           return Allowed();
                                         }));
  }
  handlers.Add(kube::admission::Validate(
      kOptOutCheckId, CheckOptionsOf(options_.opt_out), OfNamespaces([this](const Review& review) {
        return CheckOptOut(review, options_.opt_out_users, access_);
      })));
}

void PopulationWebhooks::AddUse(Handlers& handlers) const {
  handlers.Add(kube::admission::Validate(kUseId, CheckOptionsOf(options_.use),
                                         OfNamespaces([this](const Review& review) {
                                           return CheckTemplateUse(review, population_, access_);
                                         })));
}

void PopulationWebhooks::AddInitialization(Handlers& handlers) const {
  // Which configurations select a namespace, others may change by its labels.
  HandlerOptions named = OptionsOf(options_.initialization);
  named.is_reinvoked = true;
  handlers.Add(
      kube::admission::Mutate(kInitializersId, std::move(named),
                              [this](const Review& review, Reply&, ObjectDraft& draft) -> Verdict {
                                const auto population = population_.current();
                                if (!population) return NotKnownYet();
                                SetPendingInitializers(review, *population, draft);
                                return Allowed();
                              }));
  HandlerOptions objects = OptionsOf(options_.initialization);
  objects.resources = {kube::admission::AnyResource()};
  objects.namespaced_only = true;
  objects.namespace_labels = {kube::admission::LabelNotIn(kPopulatedLabel, {"true"}),
                              kube::admission::LabelNotIn(kOptOutKey, {"true"}),
                              kube::admission::LabelNotIn(kMetadataNameLabel, {kSystemNamespace})};
  handlers.Add(kube::admission::Validate(
      kInitializationId, std::move(objects),
      [this](const Review& review, Reply&) { return initialization_.CheckObject(review); }));
  handlers.Add(
      kube::admission::Validate(kInitializationCheckId, CheckOptionsOf(options_.initialization),
                                OfNamespaces([this](const Review& review) -> Verdict {
                                  if (Verdict refused = initialization_.CheckLabel(review))
                                    return refused;
                                  const auto population = population_.current();
                                  if (!population) return NotKnownYet();
                                  return CheckPendingInitializers(review, *population, access_);
                                })));
}

}  // namespace migrate::populate
