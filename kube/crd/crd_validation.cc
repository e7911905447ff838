#include "kube/crd/crd_validation.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>
#include <string>

#include "kube/base/text.h"
#include "kube/crd/crd_rules.h"
#include "kube/crd/crd_spec_validation.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"

namespace kube::crd {
namespace {

using kube::meta::FieldError;

const std::vector<std::string>& Scopes() {
  static const std::vector<std::string> kScopes = {"Cluster", "Namespaced"};
  return kScopes;
}

void ValidateGroup(const std::string& group, std::vector<FieldError>& errors) {
  constexpr const char* kPath = "spec.group";
  if (group.empty()) {
    errors.push_back(meta::Required(kPath));
  } else if (const auto problems = meta::Dns1123SubdomainProblems(group); !problems.empty()) {
    errors.push_back(meta::InvalidText(kPath, group, base::Join(problems, ",")));
  } else if (group.find('.') == std::string::npos) {
    errors.push_back(meta::InvalidText(kPath, group, "should be a domain with at least one dot"));
  }
}

void ValidateScope(const std::string& scope, std::vector<FieldError>& errors) {
  if (scope.empty()) {
    errors.push_back(meta::Required("spec.scope"));
  } else if (std::ranges::find(Scopes(), scope) == Scopes().end()) {
    errors.push_back(meta::NotSupported("spec.scope",
                                        meta::PrintBadValue(json::Value::String(scope)), Scopes()));
  }
}

/// Without any schema everything would be pruned.
void RequireSchemas(const Crd& crd, const CrdRules& rules, std::vector<FieldError>& errors) {
  if (crd.common.schema || (!rules.require_schema && crd.preserve_unknown_fields)) return;
  for (std::size_t i = 0; i < crd.versions.size(); ++i) {
    const CrdVersion& version = crd.versions[i];
    if (version.own.schema || (!rules.require_schema && !version.served)) continue;
    errors.push_back(
        meta::Required(meta::Index("spec.versions", i) + ".schema.openAPIV3Schema",
                       rules.require_schema ? "" : "because otherwise all fields are pruned"));
  }
}

void ValidatePreserveUnknownFields(const Crd& crd, const Crd* old,
                                   std::vector<FieldError>& errors) {
  constexpr const char* kPath = "spec.preserveUnknownFields";
  if (!crd.preserve_unknown_fields) return;
  if (HasDefaults(crd)) {
    errors.push_back(
        meta::Invalid(kPath, "true", "must be false in order to use defaults in the schema"));
  }
  if (old && old->preserve_unknown_fields) return;
  errors.push_back(meta::Invalid(kPath, "true",
                                 "cannot set to true, set x-kubernetes-preserve-unknown-fields "
                                 "to true in spec.versions[*].schema instead"));
}

/// Whether a version has a status subresource in the server's internal form.
bool HasStatus(const Crd& crd, const CrdVersion& version) {
  const bool has_own = std::ranges::any_of(
      crd.versions, [](const CrdVersion& v) { return v.own.subresources.has_value(); });
  if (!has_own) return crd.common.subresources && crd.common.subresources->status;
  // The server looks for the name, so of equal names the first counts.
  const CrdVersion* first = crd.FindVersion(version.name);
  return first->own.subresources && first->own.subresources->status;
}

bool HasAnyStatus(const Crd& crd) {
  const auto has_status = [](const VersionSettings& settings) {
    return settings.subresources && settings.subresources->status;
  };
  return has_status(crd.common) ||
         std::ranges::any_of(crd.versions, [&has_status](const CrdVersion& version) {
           return has_status(version.own);
         });
}

void ValidateVersions(const Crd& crd, const CrdRules& rules, schema::PatternChecks& patterns,
                      std::vector<CrdFinding>& findings, std::vector<FieldError>& errors) {
  for (std::size_t i = 0; i < crd.versions.size(); ++i) {
    const CrdVersion& version = crd.versions[i];
    const std::string path = meta::Index("spec.versions", i);
    ValidateDeprecationWarning(version, path, errors);
    ValidateSettings(version.own, path, version.name, HasStatus(crd, version), rules, patterns,
                     findings);
  }
  ValidateSettings(crd.common, "spec", "", HasAnyStatus(crd), rules, patterns, findings);
}

void ValidateSpec(const Crd& crd, CrdRules rules, schema::PatternChecks& patterns,
                  std::vector<CrdFinding>& findings, std::vector<FieldError>& errors) {
  if (!crd.preserve_unknown_fields || HasDefaults(crd) || HasStructuralExtensions(crd)) {
    rules.require_structural = true;
  }
  ValidateGroup(crd.group, errors);
  ValidateScope(crd.scope, errors);
  RequireSchemas(crd, rules, errors);
  ValidateVersions(crd, rules, patterns, findings, errors);
  ValidateCommonSettings(crd, errors);
  ValidateVersionList(crd, errors);
  RequireCrdNames(crd.names, errors);
  ValidateCrdNames(crd.names, "spec.names", errors);
  ValidateConversion(crd, rules, errors);
}

void RequireSame(const std::string& path, const std::string& now, const std::string& before,
                 std::vector<FieldError>& errors) {
  if (now != before) errors.push_back(meta::InvalidText(path, now, "field is immutable"));
}

/// ResourceScope is a Go type of its own, not a string: printed as JSON.
void RequireSameScope(const Crd& crd, const Crd& old, std::vector<FieldError>& errors) {
  if (crd.scope == old.scope) return;
  errors.push_back(
      meta::Invalid("spec.scope", meta::PrintJsonText(crd.scope), "field is immutable"));
}

void ValidateImmutableFields(const Crd& crd, const Crd& old, const CrdRules& rules,
                             std::vector<FieldError>& errors) {
  if (rules.require_immutable_names) {
    RequireSameScope(crd, old, errors);
    RequireSame("spec.names.kind", crd.names.kind, old.names.kind, errors);
  }
  RequireSame("spec.group", crd.group, old.group, errors);
  RequireSame("spec.names.plural", crd.names.plural, old.names.plural, errors);
}

/// status.storedVersions as the server sets it before it validates: the storage version is added.
std::vector<std::string> StoredVersions(const Crd& crd, const Crd* old) {
  std::vector<std::string> stored;
  if (old) stored = old->stored_versions;
  const CrdVersion* storage = crd.StorageVersion();
  if (storage && std::ranges::find(stored, storage->name) == stored.end()) {
    stored.push_back(storage->name);
  }
  return stored;
}

std::vector<CrdFinding> SortedFindings(std::vector<CrdFinding> findings,
                                       std::vector<FieldError> errors) {
  for (FieldError& error : errors) findings.push_back({std::move(error), false});
  std::vector<std::pair<std::string, CrdFinding>> keyed;
  for (CrdFinding& finding : findings) {
    std::string text = finding.error.ToString();
    keyed.emplace_back(std::move(text), std::move(finding));
  }
  // What is structural comes first where others found the same.
  std::ranges::sort(keyed, [](const auto& a, const auto& b) {
    return std::pair(std::string_view(a.first), !a.second.structural) <
           std::pair(std::string_view(b.first), !b.second.structural);
  });
  std::vector<CrdFinding> sorted;
  const std::string* last = nullptr;
  for (auto& [text, finding] : keyed) {
    if (!last || *last != text) sorted.push_back(std::move(finding));
    last = &text;
  }
  return sorted;
}

std::chrono::nanoseconds ThreadCpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

schema::PatternChecks MakePatternChecks() { return schema::PatternChecks(ThreadCpuTime); }

std::vector<CrdFinding> ValidateCrd(const Crd& crd, const Crd* old, schema::PatternChecks& patterns,
                                    base::Release server) {
  std::vector<CrdFinding> findings;
  std::vector<FieldError> errors;
  CrdRules rules = old ? RulesForUpdate(crd, *old) : CrdRules();
  rules.server = server;
  ValidateSpec(crd, rules, patterns, findings, errors);
  ValidatePreserveUnknownFields(crd, old, errors);
  ValidateStoredVersions(StoredVersions(crd, old), crd, old, errors);
  ValidateApproval(crd, old, errors);
  if (old) {
    ValidateCrdMetadataUpdate(crd, *old, errors);
    ValidateImmutableFields(crd, *old, rules, errors);
    ValidateCrdNames(old->accepted_names, "status.acceptedNames", errors);
  } else {
    ValidateCrdMetadata(crd, errors);
  }
  return SortedFindings(std::move(findings), std::move(errors));
}

std::vector<CrdFinding> ValidateCrd(const Crd& crd, const Crd* old) {
  schema::PatternChecks patterns = MakePatternChecks();
  return ValidateCrd(crd, old, patterns);
}

std::vector<CrdFinding> ValidateCrdRequest(const Crd& crd, const Crd* old,
                                           schema::PatternChecks& patterns, base::Release server) {
  std::vector<CrdFinding> findings = ValidateCrd(crd, old, patterns, server);
  std::vector<FieldError> errors;
  if (old) {
    ValidateCommonMetadata(crd, *old, errors);
  } else {
    std::erase_if(findings,
                  [](const CrdFinding& f) { return f.error.field == "metadata.namespace"; });
  }
  return SortedFindings(std::move(findings), std::move(errors));
}

}  // namespace kube::crd
