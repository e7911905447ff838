#pragma once

#include <string>
#include <string_view>

#include "kube/admission/review.h"
#include "kube/admission/verdict.h"
#include "migrate/populate/webhooks/access_reviewer.h"

/// What is said to whoever may not.
namespace migrate::populate::webhooks {

/// `User "jo" cannot use resource "namespacetemplates" in API group "policy.kubectl-prune.dev" at
/// the cluster scope`, as the API server words it (apiserver
/// pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage).
std::string CannotText(std::string_view user, std::string_view verb);

/// `it could not be asked whether User "jo" can use resource "namespacetemplates" ...`.
std::string NotAskedText(std::string_view user, std::string_view verb);

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

}  // namespace migrate::populate::webhooks
