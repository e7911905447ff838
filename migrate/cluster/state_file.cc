#include "migrate/cluster/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "kube/base/result.h"
#include "migrate/cluster/private_file.h"

namespace migrate::cluster {
namespace {

constexpr std::size_t kMaxWaiting = 64 * 1024;

}  // namespace

StateFile::StateFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
  if (descriptor_ < 0) Fail("open");
  struct stat status {};
  const bool is_known = fstat(descriptor_, &status) == 0;
  if (!is_known || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw kube::base::Error("cannot use " + path_.string() + ": it is no regular file; remove it");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  // Not where the folder may be written but not read.
  if (size_ == 0) static_cast<void>(SyncFolder(path_.parent_path()));
}

StateFile::~StateFile() { close(descriptor_); }

void StateFile::Append(std::string_view bytes) {
  waiting_ += bytes;
  size_ += bytes.size();
  if (waiting_.size() >= kMaxWaiting) Flush();
}

void StateFile::Flush() {
  std::uint64_t offset = size_ - waiting_.size();
  for (std::string_view left = waiting_; !left.empty();) {
    const ssize_t count = pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) Fail("write");
    left.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  waiting_.clear();
}

void StateFile::Sync() {
  Flush();
  if (fdatasync(descriptor_) != 0) Fail("write");
}

void StateFile::Truncate(std::uint64_t size) {
  Flush();
  if (size >= size_) return;
  if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) Fail("shorten");
  size_ = size;
}

std::size_t StateFile::ReadAt(std::uint64_t offset, char* bytes, std::size_t count) const {
  for (;;) {
    const ssize_t got = pread(descriptor_, bytes, count, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) Fail("read");
  }
}

void StateFile::Fail(const std::string& what) const {
  throw kube::base::Error("cannot " + what + " " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace migrate::cluster
