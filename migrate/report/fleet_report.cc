#include "migrate/report/fleet_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace migrate::report {
namespace {

/// What the clusters have of one CRD.
class Comparison {
 public:
  void Take(const std::string& cluster, const CrdVariant& variant) {
    seen_.push_back(cluster);
    const auto same = std::ranges::find_if(
        variants_, [&](const CrdVariant& known) { return known.IsSameAs(variant); });
    (same == variants_.end() ? variants_.emplace_back(variant) : *same).clusters.push_back(cluster);
  }

  void NoteUnknown(const std::string& cluster) { seen_.push_back(cluster); }

  /// `complete`: the clusters that have no other CRDs than those that were taken.
  std::vector<CrdVariant> Variants(const std::vector<std::string>& complete) && {
    std::ranges::stable_sort(variants_, [](const CrdVariant& a, const CrdVariant& b) {
      return a.clusters.size() > b.clusters.size();
    });
    CrdVariant missing{.is_found = false};
    for (const std::string& cluster : complete) {
      if (std::ranges::find(seen_, cluster) == seen_.end()) missing.clusters.push_back(cluster);
    }
    if (!variants_.empty() && !missing.clusters.empty()) variants_.push_back(std::move(missing));
    return std::move(variants_);
  }

 private:
  std::vector<std::string> seen_;  // clusters
  std::vector<CrdVariant> variants_;
};

std::vector<std::string> VersionNames(const CrdReport& crd) {
  std::vector<std::string> names;
  for (const VersionReport& version : crd.versions) names.push_back(version.name);
  return names;
}

/// The CRD that the cluster has; absent where it has none, or it could not be read.
std::optional<CrdVariant> VariantOf(const CrdReport& crd) {
  if (crd.versions.empty()) return std::nullopt;
  CrdVariant variant{.preserve_unknown_fields = crd.preserve_unknown_fields,
                     .storage_version = crd.storage_version,
                     .versions = VersionNames(crd),
                     .served_versions = crd.served_versions,
                     .stored_versions = crd.stored_versions};
  std::ranges::sort(variant.stored_versions);
  if (crd.source.empty()) return variant;
  if (!crd.replaced) return std::nullopt;
  variant.preserve_unknown_fields = crd.replaced->preserve_unknown_fields;
  variant.storage_version = crd.replaced->storage_version;
  variant.versions = crd.replaced->versions;
  variant.served_versions = crd.replaced->served_versions;
  return variant;
}

bool IsUnread(const CrdReport& crd) { return crd.versions.empty(); }

using Comparisons = std::map<std::string, Comparison>;

void Take(Comparisons& comparisons, const FleetCluster& cluster) {
  const CrdReport* before = nullptr;
  for (const CrdReport& crd : cluster.check.crds) {
    // Several proposals for one CRD stand for the same CRD of the cluster.
    const bool is_again = before != nullptr && before->name == crd.name;
    before = &crd;
    if (is_again) continue;
    Comparison& comparison = comparisons[crd.name];
    if (IsUnread(crd)) {
      comparison.NoteUnknown(cluster.name);
    } else if (auto variant = VariantOf(crd)) {
      const auto schemas = cluster.schemas.find(crd.name);
      if (schemas != cluster.schemas.end()) variant->schemas = schemas->second;
      comparison.Take(cluster.name, *variant);
    }
  }
}

}  // namespace

bool CrdVariant::IsSameAs(const CrdVariant& other) const {
  return is_found == other.is_found && preserve_unknown_fields == other.preserve_unknown_fields &&
         storage_version == other.storage_version && versions == other.versions &&
         served_versions == other.served_versions && stored_versions == other.stored_versions &&
         schemas == other.schemas;
}

std::vector<CrdDifference> FindDifferences(const std::vector<FleetCluster>& clusters) {
  Comparisons comparisons;
  std::vector<std::string> complete;
  for (const FleetCluster& cluster : clusters) {
    if (!cluster.is_checked()) continue;
    Take(comparisons, cluster);
    if (!cluster.check.not_all_crds_read) complete.push_back(cluster.name);
  }
  std::vector<CrdDifference> differences;
  for (auto& [name, comparison] : comparisons) {
    std::vector<CrdVariant> variants = std::move(comparison).Variants(complete);
    if (variants.size() > 1) differences.push_back({name, std::move(variants)});
  }
  return differences;
}

void ForgetMissing(std::vector<CrdDifference>& differences) {
  for (CrdDifference& difference : differences) {
    std::erase_if(difference.variants, [](const CrdVariant& variant) { return !variant.is_found; });
  }
  std::erase_if(differences, [](const CrdDifference& each) { return each.variants.size() < 2; });
}

std::vector<std::string> DifferingParts(const CrdDifference& difference) {
  std::vector<CrdVariant> found = difference.variants;
  std::erase_if(found, [](const CrdVariant& variant) { return !variant.is_found; });
  std::vector<std::string> parts;
  const auto add = [&](std::string_view words, auto of) {
    const auto is_other = [&](const CrdVariant& variant) { return of(variant) != of(found[0]); };
    if (std::ranges::any_of(found, is_other)) parts.emplace_back(words);
  };
  add("preserveUnknownFields", [](const CrdVariant& v) { return v.preserve_unknown_fields; });
  add("storage version", [](const CrdVariant& v) { return v.storage_version; });
  add("versions", [](const CrdVariant& v) { return v.versions; });
  add("served versions", [](const CrdVariant& v) { return v.served_versions; });
  add("stored versions", [](const CrdVariant& v) { return v.stored_versions; });
  const auto kept = [](const CrdVariant& v) { return v.schemas.kept_fields; };
  add("schemas", kept);
  const bool keep_others = !parts.empty() && parts.back() == "schemas";
  if (!keep_others) {
    add("schemas that keep the same fields", [](const CrdVariant& v) { return v.schemas.all; });
  }
  if (found.size() < difference.variants.size()) parts.emplace_back("where it is found");
  return parts;
}

}  // namespace migrate::report
