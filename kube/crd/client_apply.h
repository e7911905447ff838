#pragma once

#include <string_view>

#include "kube/json/json.h"

/// What `kubectl apply` of a manifest sends, client-side as it is by default (k8s.io/kubectl
/// pkg/cmd/apply, apimachinery pkg/util/jsonmergepatch). Results live in `arena` and may borrow
/// from what they were made of.
namespace kube::crd {

/// Where apply leaves the manifest that was applied last.
inline constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

/// The manifest with itself in the annotation kLastApplied: what a new object is created by, and
/// what ApplyPatch is made of.
json::Value WithLastApplied(const json::Value& manifest, json::Arena& arena);

/// The merge patch from `live` to `modified`, which WithLastApplied has made: what differs, and
/// null for what the manifest that was applied last had and this one has no more. What others have
/// added stays; lists are replaced as a whole. kubectl may send a strategic merge patch instead,
/// which for a CRD does the same but for the finalizers and owners of its metadata.
json::Value ApplyPatch(const json::Value& modified, const json::Value& live, json::Arena& arena);

/// What a server makes of `target` by the merge patch (RFC 7396).
json::Value Patched(const json::Value& target, const json::Value& patch, json::Arena& arena);

/// Whether `crd` says something of a field of its spec.
bool NamesInSpec(const json::Value& crd, std::string_view field);

/// Whether apply of `manifest` leaves that field as it is in `live`: the manifest does not name it,
/// nor does the one that was applied before. By client-side apply the annotation kLastApplied tells
/// of that one, by server-side apply a manager of metadata.managedFields that alone owns the field.
bool ApplyLeaves(const json::Value& manifest, const json::Value& live, std::string_view field);

/// The manager that applies the object server-side, where that is how its spec is applied and no
/// client-side apply was used; else empty. Borrows from `live`.
std::string_view FindServerSideApplier(const json::Value& live);

}  // namespace kube::crd
