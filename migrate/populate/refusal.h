#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/admission/review.h"
#include "migrate/populate/access_reviewer.h"

/// What is said to whoever may not.
namespace migrate::populate {

/// Of templates, if no other resource is named: `User "jo" cannot use resource "namespacetemplates"
/// in API group "policy.kubectl-prune.dev" at the cluster scope`, as the API server words it
/// (apiserver pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage).
std::string CannotText(std::string_view user, std::string_view verb,
                       std::string_view resource = kTemplatePlural);

/// `it could not be asked whether User "jo" can use resource "namespacetemplates" ...`.
std::string NotAskedText(std::string_view user, std::string_view verb,
                         std::string_view resource = kTemplatePlural);

/// What a user was not found to have of what he needs.
struct MissingRights {
  std::vector<std::string> denied{};   ///< names in quotes
  std::vector<std::string> unknown{};  ///< the same, each with the reason

  bool empty() const { return denied.empty() && unknown.empty(); }
};

/// Asks for all of `rights`, which are of one verb and resource, each to a name.
MissingRights FindMissing(AccessReviewer& access, const kube::admission::UserInfo& user,
                          const std::vector<TemplateRight>& rights);
/// The refusal behind `what`: 403 where a right is missing, 503 where that could not be asked.
kube::admission::Failure RefuseMissing(const MissingRights& missing,
                                       const kube::admission::UserInfo& user,
                                       const TemplateRight& like, std::string_view what);

/// 403.
kube::admission::Failure Forbidden(std::string message);
/// It cannot be told now: 503. Whoever may not, may not wait until nobody can tell, so that is a
/// refusal too.
kube::admission::Failure Unavailable(std::string message);

/// What is said of one right to all templates.
AccessAnswer AskOne(AccessReviewer& access, const kube::admission::UserInfo& user,
                    std::string_view verb);

/// Nothing where the user has the right to all templates; else why not, behind `what`: "the label
/// a/b cannot be set".
kube::admission::Verdict RequireRight(AccessReviewer& access, const kube::admission::UserInfo& user,
                                      std::string_view verb, std::string_view what);

}  // namespace migrate::populate
