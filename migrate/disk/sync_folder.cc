#include "migrate/disk/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "kube/system/descriptor.h"

namespace migrate::disk {

int SyncFolder(const std::filesystem::path& folder) {
  const kube::system::Descriptor descriptor(
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool is_synced = descriptor.get() >= 0 && fsync(descriptor.get()) == 0;
  return is_synced ? 0 : errno;
}

}  // namespace migrate::disk
