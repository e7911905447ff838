#pragma once

#include "kube/client/client.h"

namespace migrate::crds {

/// Whether the server lets errors be of values that a write does not change (KEP-4008,
/// CRDValidationRatcheting): by default since Kubernetes 1.30, always since 1.33. Asks for its
/// version, as it tells of its feature gates to nobody; false where it does not answer with one,
/// since then every error counts.
bool Ratchets(kube::client::Client& client);

}  // namespace migrate::crds
