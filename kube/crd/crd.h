#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

namespace kube::crd {

struct ScaleSubresource {
  std::string_view spec_replicas_path;
  std::string_view status_replicas_path;
  std::optional<std::string_view> label_selector_path;

  bool operator==(const ScaleSubresource&) const = default;
};

struct Subresources {
  bool status = false;  ///< status is there, as a rule as {}
  std::optional<ScaleSubresource> scale;

  bool operator==(const Subresources&) const = default;
};

/// A column of kubectl get: an element of additionalPrinterColumns.
struct PrinterColumn {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view description;
  std::int32_t priority = 0;
  std::string_view json_path;

  bool operator==(const PrinterColumn&) const = default;
};

/// What a CRD says once for all versions, or for each version apart. Views borrow from the CRD's
/// JSON; an empty optional is Go's nil, a present, empty list was written as [].
struct VersionSettings {
  /// `schema` of a version (spec.validation of the whole CRD) is there; it may hold no
  /// openAPIV3Schema.
  bool has_validation = false;
  /// openAPIV3Schema; null pointer where there is none.
  std::shared_ptr<const schema::SchemaProps> schema;
  std::optional<Subresources> subresources;
  std::optional<std::vector<PrinterColumn>> printer_columns;
  std::optional<std::vector<std::string_view>> selectable_fields;  ///< their jsonPath
};

/// A version of a CRD.
struct CrdVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  bool deprecated = false;
  std::optional<std::string> deprecation_warning;
  /// What holds for the version, whether the CRD says it here or for all versions: what v1 shows.
  std::shared_ptr<const schema::SchemaProps> schema;  ///< null pointer where there is none
  std::optional<Subresources> subresources;
  /// What is left here in the server's internal form, see Crd::common.
  VersionSettings own;

  bool has_status_subresource() const { return subresources && subresources->status; }
};

/// Where a conversion webhook is.
struct WebhookService {
  std::string name;
  std::string namespace_;
  std::optional<std::string> path;
  std::int32_t port = 443;
};

struct WebhookClientConfig {
  std::optional<std::string> url;
  std::optional<WebhookService> service;
  std::string ca_bundle;  ///< decoded, as a rule PEM
};

/// How to make one version of an object from another.
struct CrdConversion {
  std::string strategy = "None";
  std::optional<WebhookClientConfig> client_config;
  std::optional<std::vector<std::string>> review_versions;  ///< conversionReviewVersions
};

struct CrdNames {
  std::string plural, singular, kind, list_kind;
  std::vector<std::string> short_names, categories;
};

/// A CustomResourceDefinition, apiextensions.k8s.io/v1 or v1beta1, with the API server's defaults
/// (names.singular, names.listKind, scope in v1beta1, preserveUnknownFields, versions from
/// `version`, conversion, status.storedVersions). Owns the JSON that its schemas borrow from.
/// Move-only.
struct Crd {
  /// The JSON as read; `*this` borrows from it.
  std::unique_ptr<json::Document> document;
  std::string api_version;  ///< "apiextensions.k8s.io/v1" or ".../v1beta1"

  std::string name;  ///< metadata.name
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  bool terminating = false;  ///< has a deletionTimestamp
  std::map<std::string, std::string, std::less<>> labels, annotations;

  std::string group;
  CrdNames names;
  std::string scope;  ///< "Namespaced" or "Cluster" if valid
  bool preserve_unknown_fields = false;
  /// spec.version of v1beta1; the name of the first version where it was not written, and in v1.
  std::string version;
  std::vector<CrdVersion> versions;  ///< in the order of the CRD
  /// What the server's internal form holds for all versions (spec.validation, spec.subresources,
  /// ...): in v1beta1 what was written there, in v1 what is the same in all versions, also where
  /// there is only one. The server's messages about creation name these places.
  VersionSettings common;
  CrdConversion conversion;

  std::vector<std::string> stored_versions;  ///< status.storedVersions
  CrdNames accepted_names;                   ///< status.acceptedNames
  json::Value status_conditions;             ///< as written; null where absent

  bool is_v1beta1() const { return api_version.ends_with("/v1beta1"); }
  const CrdVersion* FindVersion(std::string_view version_name) const;
  /// The version with storage: true; null pointer where there is none.
  const CrdVersion* StorageVersion() const;
  /// The element of status.conditions with this type; null pointer where there is none.
  const json::Value* FindCondition(std::string_view type) const;
  /// True if the condition of this type, e.g. "Established", has the status "True".
  bool IsConditionTrue(std::string_view type) const;
};

/// True for the groups of Kubernetes, whose CRDs tell by an annotation that somebody has approved
/// (KEP 1111, IsProtectedCommunityGroup).
bool IsProtectedGroup(std::string_view group);

/// True for the object of a CustomResourceDefinition of a version that ReadCrd can read.
bool IsCrd(const json::Value& object);

/// Reads a CRD. The error names the field and tells why the API server cannot decode it, e.g.
/// `spec.versions[0].served: json: cannot unmarshal string into Go struct field
/// CustomResourceDefinitionVersion.spec.versions.served of type bool`. Unknown fields are ignored.
/// What ValidateCrd (crd_validation.h) finds is no error here.
base::Result<Crd, std::string> ReadCrd(std::unique_ptr<json::Document> document);

/// Reads a copy of `crd`, which stays the caller's. Errors as above.
base::Result<Crd, std::string> ReadCopiedCrd(const json::Value& crd);

/// A second CRD of the same JSON, which shares nothing with `crd`. Throws base::Error where that
/// cannot be read, as it only can where somebody has changed it.
Crd CopyCrd(const Crd& crd);

/// openAPIV3Schema of a version as JSON, whether the CRD says it there or for all versions; empty
/// where there is none.
std::string SchemaText(const Crd& crd, std::string_view version);

}  // namespace kube::crd
