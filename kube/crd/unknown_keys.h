#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/json/json.h"

namespace kube::crd {

/// A key of a manifest that no CustomResourceDefinition has, or that only later servers know.
struct UnknownKey {
  std::string path;                      ///< "spec.versions[0].schema.openAPIV3Schema.propertes"
  std::string meant{};                   ///< a key that may have been meant; empty: none is like it
  std::optional<base::Release> since{};  ///< from then on servers know it; absent: none does

  /// As strict field validation says it: `unknown field "spec.x"`. Of a long path the first KiB.
  std::string Message() const;
};

/// The keys of the manifest `crd` (apiextensions.k8s.io/v1 or v1beta1) for which kubectl apply is
/// refused by default: by strict field validation of the server since Kubernetes 1.25, by kubectl
/// itself before. In the order of the manifest; of very many the first hundred.
///
/// Where a schema may be a schema or something else (items, additionalProperties, ...) the server
/// reads it by code of its own, and nobody looks for unknown keys: so it is here.
///
/// `release`: of the server; absent: it knows all keys that any does.
std::vector<UnknownKey> FindUnknownKeys(const json::Value& crd,
                                        const std::optional<base::Release>& release = {});

}  // namespace kube::crd
