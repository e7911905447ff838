#include "migrate/populate/webhooks/population_webhooks.h"

#include <utility>

#include "kube/admission/object_filter.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/webhooks/creator.h"
#include "migrate/populate/webhooks/namespace_view.h"
#include "migrate/populate/webhooks/opt_out.h"
#include "migrate/populate/webhooks/template_use.h"

namespace migrate::populate::webhooks {
namespace {

using kube::admission::Allowed;
using kube::admission::HandlerOptions;
using kube::admission::Handlers;
using kube::admission::ObjectDraft;
using kube::admission::Operation;
using kube::admission::Reply;
using kube::admission::Review;
using kube::admission::Verdict;

constexpr char kCreatorId[] = "creator";
constexpr char kCreatorCheckId[] = "creator/check";
constexpr char kOptOutId[] = "opt-out";
constexpr char kOptOutCheckId[] = "opt-out/check";
constexpr char kUseId[] = "use";
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
  HandlerOptions options = CheckOptionsOf(options_.opt_out);
  options.object.labels = {kube::admission::LabelExists(kOptOutLabel)};
  handlers.Add(kube::admission::Validate(
      kOptOutCheckId, std::move(options), OfNamespaces([this](const Review& review) {
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
  HandlerOptions objects = OptionsOf(options_.initialization);
  objects.resources = {kube::admission::AnyResource()};
  objects.namespaced_only = true;
  objects.namespace_labels = {kube::admission::LabelNotIn(kPopulatedLabel, {"true"}),
                              kube::admission::LabelNotIn(kOptOutLabel, {"true"}),
                              kube::admission::LabelNotIn(kMetadataNameLabel, {kSystemNamespace})};
  handlers.Add(kube::admission::Validate(
      kInitializationId, std::move(objects),
      [this](const Review& review, Reply&) { return initialization_.CheckObject(review); }));
  HandlerOptions labels = CheckOptionsOf(options_.initialization);
  labels.object.labels = {kube::admission::LabelExists(kPopulatedLabel)};
  handlers.Add(kube::admission::Validate(
      kInitializationCheckId, std::move(labels),
      OfNamespaces([this](const Review& review) { return initialization_.CheckLabel(review); })));
}

}  // namespace migrate::populate::webhooks
