#pragma once

#include "kube/crd/crd.h"

namespace kube::crd {

/// Sets the defaults of the version of `crd` (apiextensions pkg/apis/apiextensions/v1 and v1beta1,
/// defaults.go), as far as they do not depend on what was absent in the JSON.
void SetCrdDefaults(Crd& crd);

/// Brings a v1 CRD, read into CrdVersion::own, into the server's internal form, and sets what holds
/// for each version (v1/conversion.go).
void SetInternalForm(Crd& crd);

}  // namespace kube::crd
