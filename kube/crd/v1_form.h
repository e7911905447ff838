#pragma once

#include "kube/crd/crd.h"
#include "kube/json/json.h"

namespace kube::crd {

/// `crd` as a manifest of apiextensions.k8s.io/v1: what v1beta1 says once for all versions is said
/// in each (as conversion of the server has it, apiextensions pkg/apis/apiextensions/v1beta1), and
/// what only the server sets is left out: status, and all metadata but name, labels and
/// annotations; of these also the one that `kubectl apply` keeps for itself.
///
/// spec.preserveUnknownFields stays where it is false. Where it is true it stays of a CRD that a
/// server has (`is_live`), as `kubectl apply` of a manifest without it may turn pruning on; else
/// it is left out, as no server creates a CRD of v1 that says true.
///
/// The value borrows from `crd` and `arena`; it may be changed.
json::Value MakeV1Form(const Crd& crd, bool is_live, json::Arena& arena);

}  // namespace kube::crd
