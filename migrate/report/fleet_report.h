#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "migrate/report/program_name.h"

namespace migrate::report {

/// By which the schemas of a CRD are held against those of another cluster: the same numbers where
/// they are the same. 0: not known.
struct CrdSchemas {
  std::uint64_t all = 0;          ///< of the schemas as they are
  std::uint64_t kept_fields = 0;  ///< of what pruning looks at

  bool operator==(const CrdSchemas&) const = default;
};

/// A cluster of a fleet, and what a check found in it.
struct FleetCluster {
  std::string name;             ///< of the context that leads to it
  std::string error{};          ///< why it could not be checked; then `check` holds nothing
  bool is_interrupted = false;  ///< that is all there is to the error
  int exit_code = 0;            ///< of a check of it alone
  CheckReport check{};
  std::map<std::string, CrdSchemas> schemas{};  ///< of the CRDs that it has, by name

  bool is_checked() const { return error.empty(); }
};

/// A CRD as some clusters of a fleet have it.
struct CrdVariant {
  std::vector<std::string> clusters{};  ///< in the order of the fleet
  bool is_found = true;                 ///< false: they have it not, and the rest is empty
  bool preserve_unknown_fields = false;
  std::string storage_version{};
  std::vector<std::string> versions{}, served_versions{};
  std::vector<std::string> stored_versions{};  ///< sorted: their order is a matter of history
  CrdSchemas schemas{};

  /// The clusters do not count.
  bool IsSameAs(const CrdVariant& other) const;
};

/// A CRD that is not the same in all clusters of a fleet.
struct CrdDifference {
  std::string name;
  /// Those that most clusters have come first, then in the order of the fleet; one that is not
  /// found is the last. At least two.
  std::vector<CrdVariant> variants;

  /// True where those clusters that have it have it alike.
  bool IsOnlyMissing() const { return variants.size() == 2 && !variants.back().is_found; }
};

/// The checks of several clusters.
struct FleetReport {
  RunFacts run{};                            ///< of no cluster
  std::vector<FleetCluster> clusters{};      ///< by name
  std::vector<CrdDifference> differences{};  ///< by the name of the CRD
};

/// What is not the same in all clusters that were checked. Of a proposal the CRD counts that the
/// cluster has. A CRD that could not be read is neither found nor missing, and where a check was
/// stopped before all CRDs were read none is missing.
std::vector<CrdDifference> FindDifferences(const std::vector<FleetCluster>& clusters);

/// Takes away that some clusters do not have a CRD.
void ForgetMissing(std::vector<CrdDifference>& differences);

/// In what `difference.variants` differ, as words for people: "served versions", "schemas".
std::vector<std::string> DifferingParts(const CrdDifference& difference);

}  // namespace migrate::report
