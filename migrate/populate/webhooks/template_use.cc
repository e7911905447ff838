#include "migrate/populate/webhooks/template_use.h"

#include <string>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "migrate/populate/webhooks/namespace_view.h"
#include "migrate/populate/webhooks/refusal.h"

namespace migrate::populate::webhooks {
namespace {

using kube::admission::Review;
using kube::admission::Verdict;
using kube::go::GoQuote;

/// The rights that a request needs, by the names of the templates.
std::vector<TemplateRight> NeededRights(const Review& review,
                                        const Population::Templates& templates) {
  const TargetNamespace now = ViewNamespace(review.object);
  const TargetNamespace before = ViewNamespace(review.old_object);
  const bool is_new = review.old_object == nullptr;
  std::vector<TemplateRight> needed;
  for (const auto& [name, each] : templates) {
    if (!each->requires_permission || !IsSelectedBy(now, *each)) continue;
    if (is_new || !IsSelectedBy(before, *each)) needed.push_back({kUseVerb, name});
  }
  return needed;
}

/// What the user was not found to have.
struct Missing {
  std::vector<std::string> denied;   // names in quotes
  std::vector<std::string> unknown;  // the same, each with the reason
};

Missing FindMissing(const std::vector<TemplateRight>& rights,
                    const std::vector<AccessAnswer>& answers) {
  Missing missing;
  for (std::size_t i = 0; i < rights.size(); ++i) {
    const AccessAnswer answer = i < answers.size() ? answers[i] : AccessAnswer();
    const std::string name = GoQuote(rights[i].name);
    if (answer.kind == AccessAnswer::Kind::kDenied) missing.denied.push_back(name);
    if (answer.kind == AccessAnswer::Kind::kUnknown) {
      missing.unknown.push_back(name + " (" + answer.reason + ")");
    }
  }
  return missing;
}

std::string MessageOf(const Missing& missing, const Review& review) {
  constexpr std::string_view kSelected =
      "the namespace would be selected by templates that need permission: ";
  std::vector<std::string> parts;
  if (!missing.denied.empty()) {
    parts.push_back(CannotText(review.user.username, kUseVerb) + ": " +
                    kube::base::Join(missing.denied, ", "));
  }
  if (!missing.unknown.empty()) {
    parts.push_back(NotAskedText(review.user.username, kUseVerb) + ": " +
                    kube::base::Join(missing.unknown, ", "));
  }
  return std::string(kSelected) + kube::base::Join(parts, "; ");
}

}  // namespace

Verdict CheckTemplateUse(const Review& review, const KnownPopulation& population,
                         AccessReviewer& access) {
  const std::optional<Population> known = population.current();
  if (!known) return Unavailable("the NamespaceTemplates of the cluster are not known yet");
  const std::vector<TemplateRight> needed = NeededRights(review, *known->templates);
  if (needed.empty()) return kube::admission::Allowed();
  const Missing missing = FindMissing(needed, access.Ask(review.user, needed));
  if (missing.denied.empty() && missing.unknown.empty()) return kube::admission::Allowed();
  std::string message = MessageOf(missing, review);
  return missing.denied.empty() ? Unavailable(std::move(message)) : Forbidden(std::move(message));
}

}  // namespace migrate::populate::webhooks
