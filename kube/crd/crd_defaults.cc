#include "kube/crd/crd_defaults.h"

#include <algorithm>

#include "kube/meta/names.h"

namespace kube::crd {
namespace {

void SetNames(CrdNames& names) {
  if (names.singular.empty()) names.singular = meta::ToLowerForDns(names.kind);
  if (names.list_kind.empty() && !names.kind.empty()) names.list_kind = names.kind + "List";
}

void SetV1beta1Defaults(Crd& crd) {
  if (crd.scope.empty()) crd.scope = "Namespaced";
  if (crd.versions.empty() && !crd.version.empty()) {
    CrdVersion& version = crd.versions.emplace_back();
    version.name = crd.version;
    version.served = true;
    version.storage = true;
  }
  std::optional<std::vector<std::string>>& review_versions = crd.conversion.review_versions;
  if (crd.conversion.strategy == "Webhook" && (!review_versions || review_versions->empty())) {
    review_versions = {"v1beta1"};
  }
}

void SetStoredVersions(Crd& crd) {
  if (!crd.stored_versions.empty()) return;
  if (const CrdVersion* storage = crd.StorageVersion()) {
    crd.stored_versions.push_back(storage->name);
  }
}

bool SameValidation(const VersionSettings& a, const VersionSettings& b) {
  if (a.has_validation != b.has_validation) return false;
  if (a.schema == nullptr || b.schema == nullptr) return a.schema == b.schema;
  return schema::DeepEqual(*a.schema, *b.schema);
}

// Nil and empty are the same.
template <typename T>
bool SameList(const std::optional<std::vector<T>>& a, const std::optional<std::vector<T>>& b) {
  if (!a || !b) return (!a || a->empty()) && (!b || b->empty());
  return *a == *b;
}

template <typename Same>
bool AllAgree(const std::vector<CrdVersion>& versions, Same same) {
  return std::ranges::all_of(
      versions, [&](const CrdVersion& v) { return same(versions.front().own, v.own); });
}

void MoveValidation(Crd& crd) {
  if (!AllAgree(crd.versions, SameValidation)) return;
  crd.common.has_validation = crd.versions.front().own.has_validation;
  crd.common.schema = crd.versions.front().own.schema;
  for (CrdVersion& version : crd.versions) {
    version.own.has_validation = false;
    version.own.schema = nullptr;
  }
}

template <typename T, typename Same>
void Move(Crd& crd, std::optional<T> VersionSettings::*field, Same same) {
  if (!AllAgree(crd.versions, [&](const VersionSettings& a, const VersionSettings& b) {
        return same(a.*field, b.*field);
      })) {
    return;
  }
  crd.common.*field = std::move(crd.versions.front().own.*field);
  for (CrdVersion& version : crd.versions) (version.own.*field).reset();
}

void MoveWhatAllVersionsAgreeOn(Crd& crd) {
  MoveValidation(crd);
  Move(crd, &VersionSettings::subresources, std::equal_to<>());
  Move(crd, &VersionSettings::printer_columns, SameList<PrinterColumn>);
  Move(crd, &VersionSettings::selectable_fields, SameList<std::string_view>);
}

}  // namespace

void SetCrdDefaults(Crd& crd) {
  SetNames(crd.names);
  if (crd.is_v1beta1()) SetV1beta1Defaults(crd);
  if (crd.version.empty() && !crd.versions.empty()) crd.version = crd.versions.front().name;
  SetStoredVersions(crd);
}

void SetInternalForm(Crd& crd) {
  if (!crd.is_v1beta1() && !crd.versions.empty()) MoveWhatAllVersionsAgreeOn(crd);
  for (CrdVersion& version : crd.versions) {
    version.schema = crd.common.has_validation ? crd.common.schema : version.own.schema;
    version.subresources =
        crd.common.subresources ? crd.common.subresources : version.own.subresources;
  }
}

}  // namespace kube::crd
