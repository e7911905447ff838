#pragma once

#include <optional>

#include "kube/base/release.h"
#include "kube/client/client.h"

namespace migrate::crds {

/// The release of the server, by /version; absent where it does not say.
std::optional<kube::base::Release> AskRelease(kube::client::Client& client);

/// Whether servers of that release let errors be of values that a write does not change (KEP-4008,
/// CRDValidationRatcheting): by default since Kubernetes 1.30, always since 1.33. A server tells
/// nobody of its feature gates. False for an unknown one: every error counts then.
bool Ratchets(const std::optional<kube::base::Release>& release);

}  // namespace migrate::crds
