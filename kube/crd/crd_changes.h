#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/crd/change.h"
#include "kube/crd/crd.h"
#include "kube/crd/schema_difference.h"

namespace kube::crd {

/// All that may matter to somebody of the difference between a live CRD and one that is proposed in
/// its place. Borrows from the schemas of both.
struct CrdChanges {
  struct Version {
    std::string name;       ///< of the proposed CRD
    std::string live_name;  ///< another one where a version is new and becomes the storage version
    std::unique_ptr<const SchemaDifference> difference;
  };

  std::vector<Change> changes;
  std::uint64_t left_out = 0;     ///< how many there are beside them, at least
  bool is_partial = false;        ///< the schemas are too large to be compared whole
  std::vector<Version> versions;  ///< those whose schemas differ
};

/// Compares versions of the same name; a new one only where it becomes the storage version, with
/// the one that is the storage version. Where there is no schema nothing is specified. `server`:
/// its release, by which objects are judged.
CrdChanges CompareCrds(const Crd& live, const Crd& proposed,
                       base::Release server = base::kNewestRelease);

}  // namespace kube::crd
