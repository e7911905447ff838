#pragma once

#include "kube/crd/crd.h"
#include "kube/meta/typed_reader.h"

namespace kube::crd {

/// Sets the defaults of the version of `crd` (apiextensions pkg/apis/apiextensions/v1 and v1beta1,
/// defaults.go), as far as they do not depend on what was absent in the JSON.
void SetCrdDefaults(Crd& crd);

/// Brings a v1 CRD, read into CrdVersion::own, into the server's internal form, and sets what holds
/// for each version (v1/conversion.go).
void SetInternalForm(Crd& crd);

/// Reads metadata into `crd`. Fields of metav1.ObjectMeta that nobody asks for later must have the
/// right type, too: the API server refuses to decode the CRD otherwise.
void ReadCrdMetadata(meta::TypedReader& reader, const json::Value& metadata, Crd& crd);

}  // namespace kube::crd
