#pragma once

#include <string>

#include "kube/admission/handler.h"
#include "kube/admission/object_draft.h"
#include "kube/admission/review.h"

/// The annotation of a Namespace that says who has made it: templates give rights to $(CREATOR), so
/// nobody may say it but the API server, which knows.
namespace migrate::populate {

/// Id of the handler that asks CheckCreator.
inline constexpr char kCreatorCheckId[] = "creator/check";

/// Of a Namespace that is created: sets the annotation to the requesting user, whoever that is, in
/// the place of whatever the request says.
void SetCreator(const kube::admission::Review& review, kube::admission::ObjectDraft& draft);

/// Refuses what would make it another one: to change, remove or add it later, as it cannot be
/// proven then; and one of a new Namespace that is not its user, as another webhook may have made
/// it of SetCreator's. A new Namespace without it passes: nobody is called its creator.
kube::admission::Verdict CheckCreator(const kube::admission::Review& review);

/// Why a list of ValidatingWebhookConfigurations does not prove that nobody can forge the
/// annotation; empty: it does. There has to be the webhook of kCreatorCheckId, of whatever
/// configuration; it has to be asked about each namespace that is created or updated, by
/// subresources too; and requests have to fail where nobody answers. That the annotation was not
/// forged before the webhook was there cannot be proven.
std::string WhyCreatorUnguarded(const kube::json::Value& list);

}  // namespace migrate::populate
