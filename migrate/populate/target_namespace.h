#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/review.h"
#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/label_match.h"

namespace migrate::populate {

/// Who has something to do in a new namespace before everybody may create objects in it.
struct InitializationConfiguration {
  std::string name;
  kube::meta::LabelSelector selector;     ///< of namespaces; empty: all
  std::vector<std::string> initializers;  ///< their names, sorted
};

/// Reads a NamespaceInitializationConfiguration as a cluster shows it, whose schema has had its
/// say. The errors are those of its selector, as of a template's, sorted bytewise.
kube::base::Result<InitializationConfiguration, std::vector<std::string>>
ReadInitializationConfiguration(const kube::json::Value& object);

/// The names in the text of a namespace's annotation, "a,b", sorted, each once. What can be the
/// name of no initializer is left out: anybody may have written it before the webhook was there.
std::vector<std::string> ReadInitializers(std::string_view text);

/// What templates look at of a namespace.
struct TargetNamespace {
  std::string name;
  kube::meta::Labels labels;           ///< with that of its name, which an API server sets
  std::optional<std::string> creator;  ///< absent: nobody has noted who it was
  bool has_opt_out_annotation = false;
  std::vector<std::string> pending_initializers{};  ///< sorted

  bool operator==(const TargetNamespace&) const = default;
  /// What was made in it stays as it is, as a label or an annotation says.
  bool OptsOut() const { return has_opt_out_annotation || OptsOutByLabel(); }
  /// The same as far as selectors of webhooks see.
  bool OptsOutByLabel() const;
  /// It has what it is to have, as whoever populates it says by a label.
  bool IsPopulated() const;
};

/// True for the object of a Namespace.
bool IsNamespace(const kube::json::Value& object);

/// Reads a Namespace. The errors are the server's, e.g. "metadata.name: Required value: name is
/// required"; sorted bytewise.
kube::base::Result<TargetNamespace, std::vector<std::string>> ReadNamespace(
    const kube::json::Value& object);

/// What templates look at in the metadata of a Namespace. What is of a wrong type is as if it were
/// not there; where there is no name, as the server has yet to make one, there is no label of it
/// either.
TargetNamespace NamespaceOf(const kube::json::Value& metadata);

/// One of which no more is known than its name, which is valid.
TargetNamespace NamespaceNamed(std::string name);

// What an API server asks about namespaces before it stores them, or objects in them.

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
