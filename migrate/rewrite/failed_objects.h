#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// What failed in the last run over a CRD, for --retry-failed.
namespace migrate::rewrite {

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

}  // namespace migrate::rewrite
