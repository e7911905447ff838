#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/meta/label_match.h"

namespace migrate::populate {

/// What is wrong with a name, of kube/meta/names.h.
using NameProblems = std::vector<std::string> (*)(std::string_view name);

/// Why an API server refuses `metadata`, which passed through ObjectMeta, of an object that is in
/// no namespace (apimachinery pkg/api/validation, ValidateObjectMeta). A name has to be there: what
/// a server would make of generateName cannot be known.
std::vector<kube::meta::FieldError> ClusterMetadataErrors(const kube::json::Value& metadata,
                                                          NameProblems name_problems);

/// The CRD of NamespaceTemplates as JSON: krew/manifests/populate/crd.yaml without its
/// descriptions.
extern const std::string_view kTemplateCrd;

/// Makes of a NamespaceTemplate what an API server with that CRD makes of it on a request: what the
/// schema does not specify is gone. Returns the paths of that, e.g. "spec.owner". The error is the
/// server's, of a request that it cannot decode. `object` borrows from itself and from `arena`.
kube::base::Result<std::vector<std::string>, std::string> ReadBySchema(kube::json::Value& object,
                                                                       kube::json::Arena& arena);

/// Why the API server refuses to create `object`, which was read by the schema, as far as the
/// schema says, in its words. Sorted bytewise; empty: it takes it.
std::vector<kube::meta::FieldError> ErrorsBySchema(const kube::json::Value& object);

/// Objects that every namespace that it selects is to have.
struct NamespaceTemplate {
  std::string name;                    ///< also a valid value of a label
  kube::meta::LabelSelector selector;  ///< of namespaces; empty: all
  bool is_disabled = false;            ///< what was made of it stays as it is
  bool requires_permission = false;
  bool uses_creator = false;  ///< $(CREATOR) stands in some text of its objects
  /// Set by whoever cannot prove that nobody forges $(CREATOR): as is_disabled.
  bool is_unguarded = false;
  /// The objects, in the order of the list, each with apiVersion, kind and metadata.name.
  std::span<const kube::json::Value> objects;
  std::shared_ptr<const kube::json::Document> document;  ///< that the objects live in
  /// Paths of what it says and its CRD does not know, which a server drops: "spec.owner".
  std::vector<std::string> unknown_fields;

  /// What was made of it stays as it is.
  bool IsLeftAlone() const { return is_disabled || is_unguarded; }
};

/// True for the object of a NamespaceTemplate, also where it has the group that the kind was first
/// thought of with, policy, of which no API server takes CRDs.
bool IsNamespaceTemplate(const kube::json::Value& object);

/// Reads spec.namespaces.labelSelector of a template, of the types that its CRD asks for. What is
/// not a selector is an error at every depth, unknown fields and nulls too: one whose field is
/// misspelt would select every namespace.
kube::base::Result<kube::meta::LabelSelector, std::vector<kube::meta::FieldError>>
ReadNamespaceSelector(const kube::json::Value& selector);

/// Reads what IsNamespaceTemplate, as an API server with its CRD takes it. The errors are the
/// server's, e.g. "spec.templates[0].kind: Required value", sorted bytewise; beyond what a CRD can
/// ask for the selector has to be one, and each object to have a name.
kube::base::Result<NamespaceTemplate, std::vector<std::string>> ReadNamespaceTemplate(
    const kube::json::Value& object);

}  // namespace migrate::populate
