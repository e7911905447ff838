#pragma once

#include <filesystem>
#include <string>

namespace migrate::cluster {

/// A folder of our own among the system's temporary ones; gone with everything in it at the end.
class TemporaryFolder {
 public:
  /// Its name is `prefix` and six letters. Throws kube::base::Error if it cannot be made.
  explicit TemporaryFolder(const std::string& prefix = "kubectl-prune-");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace migrate::cluster
