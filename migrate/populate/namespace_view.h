#pragma once

#include <string_view>

#include "kube/admission/review.h"
#include "kube/json/json.h"
#include "kube/meta/label_match.h"
#include "migrate/populate/target_namespace.h"

/// What an API server asks about namespaces before it stores them, or objects in them.
namespace migrate::populate {

/// True if a review is of a Namespace, itself or by its subresources status and finalize, which can
/// change its labels and annotations too (kubernetes pkg/registry/core/namespace/strategy.go).
bool IsOfNamespace(const kube::admission::Review& review);

/// What templates look at of a Namespace that an API server shows (NamespaceOf). The null pointer
/// is a namespace without labels.
TargetNamespace ViewNamespace(const kube::json::Value* object);

/// The label, or the annotation, of an object; the null pointer where it is absent or null. May be
/// of any type.
const kube::json::Value* FindLabel(const kube::json::Value* object, std::string_view key);
const kube::json::Value* FindAnnotation(const kube::json::Value* object, std::string_view key);

/// True if both are absent, or the same.
bool IsSame(const kube::json::Value* a, const kube::json::Value* b);

/// True if a template, or a configuration, with this selector is for the namespace: it matches, and
/// the namespace is not left out of all.
bool IsSelectedBy(const TargetNamespace& target, const kube::meta::LabelSelector& selector);

}  // namespace migrate::populate
