#pragma once

#include <string>

#include "kube/json/json.h"

namespace migrate::check {

/// Finds a tool that keeps `object` as some repository or chart says, and may undo a change of it:
/// `Argo CD (annotation argocd.argoproj.io/tracking-id)`. Empty where there is no sign of one: the
/// labels and annotations that Argo CD, Flux and Helm set, and the field managers they write as.
std::string FindGitOpsOwner(const kube::json::Value& object);

}  // namespace migrate::check
