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
/// Where it brings one, unknown fields are preserved and no version is missing, the storage version
/// is the cluster's, too: nothing else converts an object.
///
/// A version whose schema is missing or not structural, by which pruning could not be turned on,
/// keeps all fields: of those that are added, and of those of a manifest of v1beta1, which is
/// brought into v1 (v1_form.h).
///
/// Where unknown fields are preserved they still are, so that no object is pruned by the schema of
/// an older version. The server takes no defaults as long: the manifest's are left out, and with
/// them that these fields are required. Such a CRD is also made where no version is missing, and
/// the storage version moves or a webhook comes. A manifest of v1beta1 that leaves the field alone
/// becomes one of v1 that does.
///
/// Absent: none is needed. The error says why it cannot be made: the cluster has to have
/// apiextensions.k8s.io/v1. The value borrows from both.
base::Result<std::optional<json::Value>, std::string> MakeTransitional(const Crd& file,
                                                                       const Crd& live,
                                                                       json::Arena& arena);

}  // namespace kube::crd
