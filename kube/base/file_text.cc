#include "kube/base/file_text.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
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

namespace {

constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

/// Go's text of an error number.
std::string ReasonOf(int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  return reason;
}

FileError Describe(std::string_view operation, const std::string& path, int error) {
  std::string reason = ReasonOf(error);
  return {.missing = operation == "open" && error == ENOENT,
          .message = std::string(operation).append(" ").append(path).append(": ").append(reason),
          .reason = std::move(reason)};
}

int OpenToRead(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

}  // namespace

Result<std::string, FileError> ReadFileText(const std::string& path) {
  const Descriptor descriptor(OpenToRead(path));
  if (descriptor.get() < 0) {
    return Unexpected(Describe("open", path, errno));
  }
  std::string text;
  std::array<char, 16 * 1024> piece{};
  while (true) {
    const ssize_t count = read(descriptor.get(), piece.data(), piece.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unexpected(Describe("read", path, errno));
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxBytes) {
      return Unexpected(FileError{false, "read " + path + ": more than 64 MiB"});
    }
  }
}

std::string OpenProblem(const std::string& path) {
  const Descriptor descriptor(OpenToRead(path));
  return descriptor.get() < 0 ? Describe("open", path, errno).message : "";
}

}  // namespace kube::base
