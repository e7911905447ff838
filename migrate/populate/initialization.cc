#include "migrate/populate/initialization.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/refusal.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {
namespace {

using kube::admission::Allowed;
using kube::admission::Failure;
using kube::admission::FailureKind;
using kube::admission::Review;
using kube::admission::Verdict;

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

}  // namespace migrate::populate
