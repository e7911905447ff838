#include "kube/base/descriptor.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace kube::base {
namespace {

// Who shares a pipe or terminal with us may have made it one that does not block.
void AwaitRoom(int descriptor) {
  pollfd room = {.fd = descriptor, .events = POLLOUT, .revents = 0};
  constexpr int kNoLimit = -1;
  (void)poll(&room, 1, kNoLimit);
}

}  // namespace

int Descriptor::Release() { return std::exchange(descriptor_, -1); }

void Descriptor::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      AwaitRoom(descriptor);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace kube::base
