#include "migrate/populate/template_use.h"

#include <string>
#include <vector>

#include "migrate/populate/namespace_view.h"
#include "migrate/populate/refusal.h"

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

}  // namespace migrate::populate
