#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/admission/object_draft.h"
#include "kube/admission/review.h"
#include "kube/base/result.h"
#include "migrate/populate/access_reviewer.h"

namespace migrate::populate {

/// The user that an API server takes the service account for: "system:serviceaccount:NS:NAME" of
/// "NS:NAME". The error says what is wrong with the text.
kube::base::Result<std::string, std::string> UserOfServiceAccount(std::string_view text);

/// Of a Namespace that is created by one of `users`: sets the label and the annotation by
/// which it opts out. Theirs are the namespaces of other systems, which populate them themselves.
void SetOptOut(const kube::admission::Review& review,
               const std::set<std::string, std::less<>>& users,
               kube::admission::ObjectDraft& draft);

/// Asks for the right to `optout` from whoever sets, changes or removes either of them, to
/// whatever value. Removing one counts as well: whoever said that the namespace is to be left alone
/// had the right to, and templates begin to write into it, and to delete there, when it is gone.
///
/// Not asked for from `users` that create a namespace.
kube::admission::Verdict CheckOptOut(const kube::admission::Review& review,
                                     const std::set<std::string, std::less<>>& users,
                                     AccessReviewer& access);

// What is said to whoever may not.

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
