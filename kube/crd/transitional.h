#pragma once

#include <optional>
#include <string>

#include "kube/base/result.h"
#include "kube/crd/crd.h"

namespace kube::crd {

/// The CRD between two releases, where `file` lacks versions that status.storedVersions of the
/// cluster's `live` names: the manifest, with these versions added as the cluster has them, served
/// as they are and not stored. Once the objects are migrated the server takes the manifest itself.
///
/// The conversion is that of the cluster's: a webhook that the manifest brings need not be up yet.
/// A version whose schema is missing or not
/// structural, by which pruning could not be turned on, keeps all fields.
///
/// Where unknown fields are preserved they still are, so that no object is pruned by the schema of
/// an older version; the server takes no defaults as long, so that the manifest's are left out, and
/// with them that these fields are required. Such
/// a CRD is also made where no version is missing and the storage version moves.
///
/// Absent: none is needed. The error says why it cannot be made: both have to be of
/// apiextensions.k8s.io/v1. The value borrows from both.
base::Result<std::optional<json::Value>, std::string> MakeTransitional(const Crd& file,
                                                                       const Crd& live,
                                                                       json::Arena& arena);

}  // namespace kube::crd
