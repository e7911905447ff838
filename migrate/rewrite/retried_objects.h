#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "migrate/rewrite/sweep.h"

namespace migrate::rewrite {

// What failed in the last run over a CRD, for --retry-failed.

struct FailedObject {
  std::string namespace_, name;
  bool is_held = false;  ///< that run did not write it, as its backup does not have it
};

/// Remembers them in `state_dir` in the place of those of the run before; none: forgets them.
/// Throws kube::base::Error where that cannot be done.
void SaveFailedObjects(const std::vector<FailedObject>& objects,
                       const std::filesystem::path& state_dir, const std::string& crd_uid);

/// What was remembered; none where that is nothing, or no longer to be read.
std::vector<FailedObject> LoadFailedObjects(const std::filesystem::path& state_dir,
                                            const std::string& crd_uid);

/// A failed object of an earlier run, for --retry-from.
struct RetriedObject {
  std::string crd, namespace_, name;
  /// That run did not write it, as its backup does not have it (ObjectClass::kHeld).
  bool is_held = false;
};

/// The objects of `retried` that are of the CRD.
std::vector<ObjectName> RetriedOf(const std::string& crd_name,
                                  const std::vector<RetriedObject>& retried);

/// Has a sweep hold those of them that the earlier run held, for where there is no state of that
/// run to tell which of them still are to be. Changes nothing where there are none.
void HoldAsReported(const std::string& crd_name, const std::vector<RetriedObject>& retried,
                    SweepOptions& options);

}  // namespace migrate::rewrite
