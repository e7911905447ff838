#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/crd/crd_spec_validation.h"
#include "kube/go/go_printable.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"

namespace kube::crd {
namespace {

using kube::meta::FieldError;
using kube::meta::InvalidText;

constexpr const char* kVersions = "spec.versions";
constexpr std::size_t kMostWarningBytes = 256;

bool HasColumns(const VersionSettings& settings) {
  return settings.printer_columns && !settings.printer_columns->empty();
}

bool SameSchema(const VersionSettings& a, const VersionSettings& b) {
  if (!a.schema || !b.schema) return !a.schema && !b.schema;
  return schema::DeepEqual(*a.schema, *b.schema);
}

/// True if there are versions and all of them satisfy `is_same`, given the first and themselves.
template <typename IsSame>
bool AllAlike(const Crd& crd, const IsSame& is_same) {
  return !crd.versions.empty() && std::ranges::all_of(crd.versions, [&](const CrdVersion& version) {
    return is_same(crd.versions.front().own, version.own);
  });
}

void RejectMixture(const Crd& crd, bool at_top, bool (*in_version)(const VersionSettings&),
                   const char* path, const char* detail, std::vector<FieldError>& errors) {
  const bool in_some_version = std::ranges::any_of(
      crd.versions, [in_version](const CrdVersion& version) { return in_version(version.own); });
  if (at_top && in_some_version) errors.push_back(meta::Forbidden(path, detail));
}

void RejectVersions(const Crd& crd, bool are_wrong, std::string_view detail,
                    std::vector<FieldError>& errors) {
  if (are_wrong) errors.push_back(meta::Invalid(kVersions, PrintGoVersions(crd), detail));
}

/// True if status.storedVersions was written, maybe as [].
bool HasStoredVersionList(const Crd& crd) {
  return crd.document->root().At("status").At("storedVersions").is_array();
}

std::string WarningCharacterProblem(std::string_view warning) {
  for (std::size_t i = 0; i < warning.size();) {
    const base::Rune rune = base::DecodeRune(warning.substr(i));
    if (!go::IsGoPrintable(rune.value)) {
      return "must only contain printable UTF-8 characters; non-printable character found at "
             "index " +
             std::to_string(i);
    }
    i += rune.size;
  }
  return "";
}

}  // namespace

void ValidateDeprecationWarning(const CrdVersion& version, std::string_view path,
                                std::vector<FieldError>& errors) {
  if (!version.deprecation_warning) return;
  const std::string& warning = *version.deprecation_warning;
  const auto reject = [&](std::string_view detail) {
    errors.push_back(meta::Invalid(meta::Child(path, "deprecationWarning"),
                                   meta::PrintJsonText(warning), detail));
  };
  if (!version.deprecated) return reject("can only be set for deprecated versions");
  if (warning.size() > kMostWarningBytes) reject("must be <= 256 characters long");
  if (warning.empty()) reject("must not be an empty string");
  if (const std::string problem = WarningCharacterProblem(warning); !problem.empty()) {
    reject(problem);
  }
}

void ValidateCommonSettings(const Crd& crd, std::vector<FieldError>& errors) {
  RejectMixture(
      crd, crd.common.has_validation,
      [](const VersionSettings& settings) { return settings.has_validation; }, "spec.validation",
      "top-level and per-version schemas are mutually exclusive", errors);
  RejectMixture(
      crd, crd.common.subresources.has_value(),
      [](const VersionSettings& settings) { return settings.subresources.has_value(); },
      "spec.subresources", "top-level and per-version subresources are mutually exclusive", errors);
  RejectMixture(crd, HasColumns(crd.common), HasColumns, "spec.additionalPrinterColumns",
                "top-level and per-version additionalPrinterColumns are mutually exclusive",
                errors);
  RejectVersions(
      crd,
      AllAlike(crd, [](const VersionSettings& a,
                       const VersionSettings& b) { return b.has_validation && SameSchema(a, b); }),
      "per-version schemas may not all be set to identical values (top-level validation "
      "should be used instead)",
      errors);
  RejectVersions(crd,
                 AllAlike(crd,
                          [](const VersionSettings& a, const VersionSettings& b) {
                            return b.subresources && a.subresources == b.subresources;
                          }),
                 "per-version subresources may not all be set to identical values (top-level "
                 "subresources should be used instead)",
                 errors);
  RejectVersions(crd,
                 AllAlike(crd,
                          [](const VersionSettings& a, const VersionSettings& b) {
                            return HasColumns(b) && a.printer_columns == b.printer_columns;
                          }),
                 "per-version additionalPrinterColumns may not all be set to identical values "
                 "(top-level additionalPrinterColumns should be used instead)",
                 errors);
}

void ValidateVersionList(const Crd& crd, std::vector<FieldError>& errors) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < crd.versions.size(); ++i) {
    const std::string& name = crd.versions[i].name;
    names.insert(name);
    const auto problems = meta::Dns1035LabelProblems(name);
    if (problems.empty()) continue;
    errors.push_back(
        InvalidText(meta::Index(kVersions, i) + ".name", name, base::Join(problems, ",")));
  }
  RejectVersions(crd, names.size() != crd.versions.size(), "must contain unique version names",
                 errors);
  RejectVersions(crd, std::ranges::count(crd.versions, true, &CrdVersion::storage) != 1,
                 "must have exactly one version marked as storage version", errors);
  if (crd.version.empty()) return;
  const auto problems = meta::Dns1035LabelProblems(crd.version);
  if (!problems.empty()) {
    errors.push_back(InvalidText("spec.version", crd.version, base::Join(problems, ",")));
  }
  if (!crd.versions.empty() && crd.versions.front().name != crd.version) {
    errors.push_back(
        InvalidText("spec.version", crd.version, "must match the first version in spec.versions"));
  }
}

void ValidateStoredVersions(const std::vector<std::string>& stored, const Crd& crd, const Crd* old,
                            std::vector<FieldError>& errors) {
  constexpr const char* kPath = "status.storedVersions";
  if (stored.empty()) {
    const char* printed = old && HasStoredVersionList(*old) ? "[]" : "null";
    errors.push_back(meta::Invalid(kPath, printed, "must have at least one stored version"));
    return;
  }
  // Of equal names the server keeps the last, and names of versions count once.
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < stored.size(); ++i) places[stored[i]] = i;
  for (const CrdVersion& version : crd.versions) {
    const bool is_stored = places.erase(version.name) > 0;
    if (!version.storage || is_stored) continue;
    errors.push_back(meta::Invalid(kPath, meta::PrintStrings(stored),
                                   "must have the storage version " + version.name));
  }
  for (const auto& [name, index] : places) {
    const std::string text(name);
    errors.push_back(InvalidText(
        meta::Index(kPath, index), name,
        "missing from spec.versions; " + text +
            " was previously a storage version, and must remain in spec.versions until a storage "
            "migration ensures no data remains persisted in " +
            text + " and removes " + text + " from status.storedVersions"));
  }
}

}  // namespace kube::crd
