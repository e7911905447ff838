#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kube/base/release.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_cel_validation.h"
#include "kube/schema/schema_props.h"

namespace kube::crd {

/// Which rules hold for a CRD: all for a new one; an update does not tighten what the old CRD got
/// away with (validationOptions of apiextensions pkg/apis/apiextensions/validation).
struct CrdRules {
  bool require_recognized_review_version = true;
  bool require_immutable_names = false;
  bool require_schema = true;
  bool require_valid_types = true;
  bool require_structural = true;
  bool require_pruned_defaults = true;
  bool require_atomic_sets = true;
  bool require_map_keys = true;
  bool allow_invalid_ca_bundle = true;
  base::Release server = base::kNewestRelease;
  KnownExpressions known_expressions;
  /// The versions whose schema is that of the old CRD.
  std::set<std::string, std::less<>> unchanged_versions;
  /// Versions that may keep more selectable fields than allowed; "" for the whole CRD.
  std::map<std::string, bool, std::less<>> allow_too_many_selectable_fields;
};

/// The rules for an update of `old` to `crd`.
CrdRules RulesForUpdate(const Crd& crd, const Crd& old);

/// True if some schema of `crd` holds a default.
bool HasDefaults(const Crd& crd);
/// True if some schema of `crd` uses an extension that has a meaning in structural schemas only.
bool HasStructuralExtensions(const Crd& crd);

/// True for conversionReviewVersions that the server speaks.
bool IsRecognizedReviewVersion(std::string_view version);

/// The most selectable fields that a version may have.
inline constexpr std::size_t kMostSelectableFields = 8;

}  // namespace kube::crd
