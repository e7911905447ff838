#pragma once

#include <string>
#include <vector>

#include "kube/json/json.h"

namespace kube::crd {

/// A key of a manifest that no CustomResourceDefinition has.
struct UnknownKey {
  std::string path;     ///< "spec.versions[0].schema.openAPIV3Schema.propertes"
  std::string meant{};  ///< a key that may have been meant; empty: none is like it

  /// As strict field validation says it: `unknown field "spec.x"`.
  std::string Message() const { return "unknown field \"" + path + "\""; }
};

/// The keys of the manifest `crd` (apiextensions.k8s.io/v1 or v1beta1) for which kubectl apply is
/// refused by default: by strict field validation of the server since Kubernetes 1.25, by kubectl
/// itself before. In the order of the manifest; of very many the first hundred.
///
/// Where a schema may be a schema or something else (items, additionalProperties, ...) the server
/// reads it by code of its own, and nobody looks for unknown keys: so it is here.
std::vector<UnknownKey> FindUnknownKeys(const json::Value& crd);

}  // namespace kube::crd
