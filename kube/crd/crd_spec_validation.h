#pragma once

#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/crd_rules.h"
#include "kube/crd/crd_validation.h"

/// The parts of ValidateCrd, one file an idea. Each appends what it finds.
namespace kube::crd {

// crd_metadata_validation.cc
/// metadata of a new CRD: its name must be plural.group.
void ValidateCrdMetadata(const Crd& crd, std::vector<meta::FieldError>& errors);
/// metadata of an update.
void ValidateCrdMetadataUpdate(const Crd& crd, const Crd& old,
                               std::vector<meta::FieldError>& errors);
/// What an update of any object may not do to its metadata (apiserver pkg/registry/rest,
/// BeforeUpdate and validateCommonFields).
void ValidateCommonMetadata(const Crd& crd, const Crd& old, std::vector<meta::FieldError>& errors);
/// The annotation that groups of the Kubernetes community need. `old` may be the null pointer.
void ValidateApproval(const Crd& crd, const Crd* old, std::vector<meta::FieldError>& errors);
/// spec.names, or status.acceptedNames, at `path`.
void ValidateCrdNames(const CrdNames& names, std::string_view path,
                      std::vector<meta::FieldError>& errors);
/// The names that a spec may not lack.
void RequireCrdNames(const CrdNames& names, std::vector<meta::FieldError>& errors);

// crd_conversion_validation.cc
void ValidateConversion(const Crd& crd, const CrdRules& rules,
                        std::vector<meta::FieldError>& errors);

// crd_settings_validation.cc
/// What may stand in a version and at the top: schema, subresources, printer columns and selectable
/// fields, at `path` ("spec" or "spec.versions[i]"). `version` is "" for the top.
void ValidateSettings(const VersionSettings& settings, std::string_view path,
                      std::string_view version, bool has_status, const CrdRules& rules,
                      schema::PatternChecks& patterns, std::vector<CrdFinding>& findings);

// crd_versions_validation.cc
/// The list spec.versions as a whole, and spec.version.
void ValidateVersionList(const Crd& crd, std::vector<meta::FieldError>& errors);
/// What spec and spec.versions may not both say, and what all versions may not say alike.
void ValidateCommonSettings(const Crd& crd, std::vector<meta::FieldError>& errors);
/// Why a deprecationWarning is wrong.
void ValidateDeprecationWarning(const CrdVersion& version, std::string_view path,
                                std::vector<meta::FieldError>& errors);
/// The stored versions against spec.versions; they come from `old` where there is one.
void ValidateStoredVersions(const std::vector<std::string>& stored, const Crd& crd, const Crd* old,
                            std::vector<meta::FieldError>& errors);

// crd_versions_print.cc
/// spec.versions as encoding/json prints the internal Go type.
std::string PrintGoVersions(const Crd& crd);

}  // namespace kube::crd
