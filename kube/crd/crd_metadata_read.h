#pragma once

#include "kube/crd/crd.h"
#include "kube/meta/typed_reader.h"

namespace kube::crd {

/// Reads metadata into `crd`. Fields of metav1.ObjectMeta that nobody asks for later must have the
/// right type, too: the API server refuses to decode the CRD otherwise.
void ReadCrdMetadata(meta::TypedReader& reader, const json::Value& metadata, Crd& crd);

}  // namespace kube::crd
