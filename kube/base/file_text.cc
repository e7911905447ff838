#include "kube/base/file_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "kube/base/descriptor.h"

namespace kube::base {
namespace {

constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

std::string Describe(std::string_view operation, const std::string& path, int error) {
  std::string cause = std::generic_category().message(error);
  if (!cause.empty() && cause[0] >= 'A' && cause[0] <= 'Z') {
    cause[0] = static_cast<char>(cause[0] - 'A' + 'a');
  }
  return std::string(operation).append(" ").append(path).append(": ").append(cause);
}

int OpenToRead(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

}  // namespace

Result<std::string, FileError> ReadFileText(const std::string& path) {
  const Descriptor descriptor(OpenToRead(path));
  if (descriptor.get() < 0) {
    const int error = errno;
    return Unexpected(FileError{error == ENOENT, Describe("open", path, error)});
  }
  std::string text;
  std::array<char, 16 * 1024> piece{};
  while (true) {
    const ssize_t count = read(descriptor.get(), piece.data(), piece.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unexpected(FileError{false, Describe("read", path, errno)});
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxBytes) {
      return Unexpected(FileError{false, "read " + path + ": more than 64 MiB"});
    }
  }
}

std::string OpenProblem(const std::string& path) {
  const Descriptor descriptor(OpenToRead(path));
  return descriptor.get() < 0 ? Describe("open", path, errno) : "";
}

}  // namespace kube::base
