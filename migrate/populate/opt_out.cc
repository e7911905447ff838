#include "migrate/populate/opt_out.h"

#include <vector>

#include "kube/base/text.h"
#include "kube/meta/names.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/namespace_view.h"
#include "migrate/populate/refusal.h"

namespace migrate::populate {
namespace {

using kube::admission::Operation;
using kube::admission::Review;
using kube::admission::Verdict;
using Users = std::set<std::string, std::less<>>;

bool IsCreatedByOneOf(const Review& review, const Users& users) {
  return review.operation == Operation::kCreate && users.contains(review.user.username);
}

}  // namespace

kube::base::Result<std::string, std::string> UserOfServiceAccount(std::string_view text) {
  const auto refuse = [](std::string why) { return kube::base::Unexpected(std::move(why)); };
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return refuse("a service account is written NAMESPACE:NAME");
  const std::string_view namespace_ = text.substr(0, colon), name = text.substr(colon + 1);
  const auto namespace_problems = kube::meta::Dns1123LabelProblems(namespace_);
  if (!namespace_problems.empty()) {
    return refuse("its namespace: " + kube::base::Join(namespace_problems, "; "));
  }
  const auto name_problems = kube::meta::Dns1123SubdomainProblems(name);
  if (!name_problems.empty()) return refuse("its name: " + kube::base::Join(name_problems, "; "));
  return "system:serviceaccount:" + std::string(text);
}

void SetOptOut(const Review& review, const Users& users, kube::admission::ObjectDraft& draft) {
  if (!IsCreatedByOneOf(review, users)) return;
  for (const std::string_view map : {"labels", "annotations"}) {
    draft.SetText({"metadata", map, kOptOutKey}, "true");
  }
}

Verdict CheckOptOut(const Review& review, const Users& users, AccessReviewer& access) {
  const bool is_kept =
      IsSame(FindLabel(review.object, kOptOutKey), FindLabel(review.old_object, kOptOutKey)) &&
      IsSame(FindAnnotation(review.object, kOptOutKey),
             FindAnnotation(review.old_object, kOptOutKey));
  if (is_kept || IsCreatedByOneOf(review, users)) return kube::admission::Allowed();
  return RequireRight(access, review.user, kOptOutVerb,
                      std::string(kOptOutKey) + " cannot be changed");
}

}  // namespace migrate::populate
