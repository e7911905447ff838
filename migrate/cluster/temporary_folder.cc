#include "migrate/cluster/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

#include "kube/base/result.h"

namespace migrate::cluster {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / (prefix + "XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw kube::base::Error("cannot make a temporary folder \"" + pattern +
                            "\": " + std::generic_category().message(errno) +
                            " (TMPDIR names another place)");
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace migrate::cluster
