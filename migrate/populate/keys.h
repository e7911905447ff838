#pragma once

#include <string_view>

#include "kube/json/json.h"

namespace migrate::populate {

/// The text at `key` in a map of an object's metadata, "labels" or "annotations"; empty where there
/// is none. Refers to `object`.
inline std::string_view MetadataEntry(const kube::json::Value& object, std::string_view map,
                                      std::string_view key) {
  return object.At("metadata").At(map).FindText(key);
}

/// True if an object has this value at `key`, as an annotation or as a label: people write either.
inline bool HasEntry(const kube::json::Value& object, std::string_view key,
                     std::string_view value) {
  return MetadataEntry(object, "annotations", key) == value ||
         MetadataEntry(object, "labels", key) == value;
}

// The names by which namespaces are populated.

inline constexpr char kGroup[] = "policy.kubectl-prune.dev";
inline constexpr char kVersion[] = "v1alpha1";
inline constexpr char kTemplateKind[] = "NamespaceTemplate";
/// Of what is applied to namespaces.
inline constexpr char kFieldManager[] = "kubectl-prune-populate";

inline constexpr char kTemplatePlural[] = "namespacetemplates";
inline constexpr char kConfigurationPlural[] = "namespaceinitializationconfigurations";
/// Nothing that a server has: initializers are named by it in rules about who may `initialize`.
inline constexpr char kInitializerPlural[] = "namespaceinitializers";

/// The namespace that is never populated.
inline constexpr char kSystemNamespace[] = "kube-system";

/// Label of what was made of a template: the template's name.
inline constexpr char kTemplateNameLabel[] = "policy/namespace-template-name";
/// Annotation or label of a template; "disable": what was made of it stays as it is.
inline constexpr char kApplyKey[] = "policy/namespace-template-apply";
/// Annotation or label of a namespace; "true": what was made in it stays as it is. Selectors of
/// webhooks see the label alone.
inline constexpr char kOptOutKey[] = "policy/namespace-template-opt-out";
/// Label of a namespace; "true": it was populated, or there was nothing to make in it. Whoever
/// populates it sets it, on every namespace that was looked at, once it has all of its objects; it
/// stays from then on. A label and no annotation, so that a webhook's namespaceSelector can leave
/// such namespaces out: nobody is asked about what is created in them.
inline constexpr char kPopulatedLabel[] = "policy/namespace-template-populated";
/// Annotation of a namespace: the initializers that have yet to finish it, "a,b".
inline constexpr char kPendingInitializersAnnotation[] = "policy/namespace-pending-initializers";
/// Annotation or label of a template; "true": who makes a namespace that it selects needs the right
/// to use it.
inline constexpr char kRequirePermissionKey[] = "policy/namespace-template-require-permission";
/// Annotation of a namespace: the user who has made it. User names fit no label.
inline constexpr char kCreatorAnnotation[] = "authorization.k8s.io/creator";
/// Label that an API server sets on each namespace: its name (core/v1, SetDefaults_Namespace).
inline constexpr char kMetadataNameLabel[] = "kubernetes.io/metadata.name";

}  // namespace migrate::populate
