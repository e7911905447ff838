#include "migrate/cluster/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "kube/base/descriptor.h"

namespace migrate::cluster {

int SyncFolder(const std::filesystem::path& folder) {
  const kube::base::Descriptor descriptor(
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool is_synced = descriptor.get() >= 0 && fsync(descriptor.get()) == 0;
  return is_synced ? 0 : errno;
}

}  // namespace migrate::cluster
