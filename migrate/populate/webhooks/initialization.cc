#include "migrate/populate/webhooks/initialization.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/webhooks/namespace_view.h"
#include "migrate/populate/webhooks/refusal.h"

namespace migrate::populate::webhooks {
namespace {

using kube::admission::Allowed;
using kube::admission::Failure;
using kube::admission::FailureKind;
using kube::admission::Review;
using kube::admission::Verdict;

constexpr std::chrono::seconds kRetryAfter(1);
constexpr std::size_t kMostNameBytes = 256;
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

bool HasEnabledTemplate(const Population& population) {
  return std::ranges::any_of(*population.templates,
                             [](const auto& entry) { return !entry.second->is_disabled; });
}

bool IsSelected(const TargetNamespace& target, const Population& population) {
  return std::ranges::any_of(*population.templates, [&target](const auto& entry) {
    return !entry.second->is_disabled && IsSelectedBy(target, *entry.second);
  });
}

Failure NotYet(const Review& review, const std::string& more) {
  return {
      .kind = FailureKind::kTemporary,
      .message = "namespace " +
                 kube::go::GoQuote(kube::base::utf8::Prefix(review.namespace_, kMostNameBytes)) +
                 " is being populated by NamespaceTemplates; try again in a moment" + more,
      .code = 429,
      .reason = "TooManyRequests",
      .retry_after = kRetryAfter};
}

}  // namespace

bool InitializationGuard::IsAwaited(const Population& population, std::string_view name) const {
  const std::shared_ptr<const KnownNamespace> known = population.FindNamespace(name);
  if (known == nullptr) {
    const bool was_missed = population.stale_since && IsOver(*population.stale_since);
    return !was_missed && HasEnabledTemplate(population);
  }
  return !known->target.IsPopulated() && !IsOver(known->created) &&
         IsSelected(known->target, population);
}

Verdict InitializationGuard::CheckObject(const Review& review) const {
  if (MayAlwaysBeCreated(review)) return Allowed();
  const std::optional<Population> population = population_.current();
  if (population && !IsAwaited(*population, review.namespace_)) return Allowed();
  const AccessAnswer answer = AskOne(access_, review.user, kInitializeVerb);
  if (answer.kind == AccessAnswer::Kind::kAllowed) return Allowed();
  const bool is_unknown = answer.kind == AccessAnswer::Kind::kUnknown;
  return NotYet(review, is_unknown ? " (" + answer.reason + ")" : "");
}

Verdict InitializationGuard::CheckLabel(const Review& review) const {
  const kube::json::Value* label = FindLabel(review.object, kPopulatedLabel);
  if (label == nullptr || IsSame(label, FindLabel(review.old_object, kPopulatedLabel))) {
    return Allowed();
  }
  return RequireRight(access_, review.user, kInitializeVerb,
                      std::string("the label ") + kPopulatedLabel + " cannot be set");
}

}  // namespace migrate::populate::webhooks
