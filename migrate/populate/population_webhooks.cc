#include "migrate/populate/population_webhooks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/admission/object_filter.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "migrate/populate/creator.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/refusal.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {
namespace {

using kube::admission::Allowed;
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
  if (needed.empty()) return Allowed();
  const MissingRights missing = FindMissing(access, review.user, needed);
  if (missing.empty()) return Allowed();
  return RefuseMissing(missing, review.user, needed.front(),
                       "the namespace would be selected by templates that need permission");
}

namespace {

using kube::admission::Failure;
using kube::admission::FailureKind;

constexpr std::chrono::seconds kRetryAfter(1);
constexpr std::size_t kMostNameBytes = 256, kMostListBytes = 500;
// Whoever had the annotation first may have written thousands of names, each of which is a question
// to the API server.
constexpr std::size_t kMostAsked = 64;
// Users of a control plane (apiserver pkg/authentication/user, kubeadm).
constexpr std::array<std::string_view, 3> kControlPlane = {
    "system:apiserver", "system:kube-controller-manager", "system:kube-scheduler"};
constexpr std::string_view kSystemAccounts = "system:serviceaccount:kube-system:";
// Its resources answer questions.
constexpr std::string_view kAuthorizationGroup = "authorization.k8s.io";

bool IsOfControlPlane(std::string_view user) {
  return user.starts_with(kSystemAccounts) ||
         std::ranges::find(kControlPlane, user) != kControlPlane.end();
}

bool MayAlwaysBeCreated(const Review& review) {
  return review.namespace_.empty() || review.namespace_ == kSystemNamespace ||
         review.resource.group == kAuthorizationGroup || IsOfControlPlane(review.user.username);
}

bool IsAnyAwaited(const Population& population) {
  return !population.configurations->empty() ||
         std::ranges::any_of(*population.templates,
                             [](const auto& entry) { return !entry.second->is_disabled; });
}

bool IsSelected(const TargetNamespace& target, const Population& population) {
  return std::ranges::any_of(*population.templates, [&target](const auto& entry) {
    return !entry.second->is_disabled && IsSelectedBy(target, entry.second->selector);
  });
}

std::string QuotedListOf(const std::vector<std::string>& names) {
  return kube::base::utf8::Shortened(kube::base::Join(names, ", "), kMostListBytes);
}

// What it waits for is in the place of what populates it, which is done sooner.
Failure NotYet(const Review& review, const std::vector<std::string>& pending,
               const std::string& more) {
  const std::string what = pending.empty() ? "is being populated by NamespaceTemplates"
                                           : "waits for its initializers " + QuotedListOf(pending);
  return {
      .kind = FailureKind::kTemporary,
      .message = "namespace " +
                 kube::go::GoQuote(kube::base::utf8::Prefix(review.namespace_, kMostNameBytes)) +
                 " " + what + "; try again in a moment" + more,
      .code = 429,
      .reason = "TooManyRequests",
      .retry_after = kRetryAfter};
}

/// The names of all configurations that select a Namespace.
std::vector<std::string> InitializersOf(const kube::json::Value* object,
                                        const Population& population) {
  const TargetNamespace target = ViewNamespace(object);
  std::set<std::string> names;
  for (const InitializationConfiguration& each : *population.configurations) {
    if (!IsSelectedBy(target, each.selector)) continue;
    names.insert(each.initializers.begin(), each.initializers.end());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> Without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> left;
  std::ranges::set_difference(names, others, std::back_inserter(left));
  return left;
}

/// Of the first kMostAsked.
std::vector<TemplateRight> RightsOf(const std::vector<std::string>& initializers) {
  std::vector<TemplateRight> rights;
  for (const std::string& name : initializers) {
    if (rights.size() == kMostAsked) break;
    rights.push_back({.verb = kInitializeVerb, .name = name, .resource = kInitializerPlural});
  }
  return rights;
}

std::string WhatOfPending(std::string_view why) {
  return std::string("the annotation ") + kPendingInitializersAnnotation + " " + std::string(why);
}

/// The best of all answers to who may create objects before a namespace is open.
AccessAnswer AskToInitialize(AccessReviewer& access, const kube::admission::UserInfo& user,
                             const std::vector<std::string>& pending) {
  std::vector<TemplateRight> rights = RightsOf(pending);
  rights.insert(rights.begin(), {.verb = kInitializeVerb});
  const std::vector<AccessAnswer> answers = access.Ask(user, rights);
  const auto allowed =
      std::ranges::find(answers, AccessAnswer::Kind::kAllowed, &AccessAnswer::kind);
  if (allowed != answers.end()) return *allowed;
  return answers.empty() ? AccessAnswer() : answers.front();
}

}  // namespace

void SetPendingInitializers(const Review& review, const Population& population,
                            kube::admission::ObjectDraft& draft) {
  const kube::admission::ObjectDraft::Path path = {"metadata", "annotations",
                                                   kPendingInitializersAnnotation};
  const std::vector<std::string> names = InitializersOf(review.object, population);
  if (names.empty()) {
    draft.Remove(path);
  } else {
    draft.SetText(path, kube::base::Join(names, ","));
  }
}

Verdict CheckPendingInitializers(const Review& review, const Population& population,
                                 AccessReviewer& access) {
  const std::vector<std::string> now = ViewNamespace(review.object).pending_initializers;
  if (review.operation == kube::admission::Operation::kCreate) {
    const auto missing = Without(InitializersOf(review.object, population), now);
    if (missing.empty()) return Allowed();
    return Unavailable(WhatOfPending("lacks " + QuotedListOf(missing) +
                                     ": a configuration is new, or another webhook has changed the "
                                     "namespace; try again"));
  }
  const std::vector<std::string> before = ViewNamespace(review.old_object).pending_initializers;
  const std::vector<std::string> added = Without(now, before);
  if (!added.empty()) {
    return kube::admission::Refusal(WhatOfPending("gets no names later: " + QuotedListOf(added)),
                                    422, "Invalid");
  }
  const std::vector<std::string> removed = Without(before, now);
  if (removed.size() > kMostAsked) {
    return kube::admission::Refusal(
        WhatOfPending("loses no more than " + std::to_string(kMostAsked) + " names at once"), 422,
        "Invalid");
  }
  const std::vector<TemplateRight> needed = RightsOf(removed);
  if (needed.empty()) return Allowed();
  const MissingRights missing = FindMissing(access, review.user, needed);
  if (missing.empty()) return Allowed();
  return RefuseMissing(missing, review.user, needed.front(),
                       WhatOfPending("loses names by their initializers alone"));
}

bool InitializationGuard::IsAwaited(const Population& population,
                                    const KnownNamespace* known) const {
  if (known == nullptr) {
    const bool was_missed = population.stale_since && IsOver(*population.stale_since);
    return !was_missed && IsAnyAwaited(population);
  }
  const TargetNamespace& target = known->target;
  return !target.IsPopulated() && !target.OptsOut() && !IsOver(known->created) &&
         (!target.pending_initializers.empty() || IsSelected(target, population));
}

Verdict InitializationGuard::CheckObject(const Review& review) const {
  if (MayAlwaysBeCreated(review)) return Allowed();
  const std::optional<Population> population = population_.current();
  const auto known = population ? population->FindNamespace(review.namespace_) : nullptr;
  if (population && !IsAwaited(*population, known.get())) return Allowed();
  const std::vector<std::string> pending =
      known == nullptr ? std::vector<std::string>() : known->target.pending_initializers;
  const AccessAnswer answer = AskToInitialize(access_, review.user, pending);
  if (answer.kind == AccessAnswer::Kind::kAllowed) return Allowed();
  const bool is_unknown = answer.kind == AccessAnswer::Kind::kUnknown;
  return NotYet(review, pending, is_unknown ? " (" + answer.reason + ")" : "");
}

Verdict InitializationGuard::CheckLabel(const Review& review) const {
  const kube::json::Value* label = FindLabel(review.object, kPopulatedLabel);
  if (label == nullptr || IsSame(label, FindLabel(review.old_object, kPopulatedLabel))) {
    return Allowed();
  }
  return RequireRight(access_, review.user, kInitializeVerb,
                      std::string("the label ") + kPopulatedLabel + " cannot be set");
}

namespace {

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
