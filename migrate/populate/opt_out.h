#pragma once

#include <set>
#include <string>
#include <string_view>

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

}  // namespace migrate::populate
