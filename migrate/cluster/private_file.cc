#include "migrate/cluster/private_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"

namespace migrate::cluster {

std::uint64_t StableHash(std::string_view text) {
  // FNV-1a, then the finalizer of MurmurHash3 to spread short texts.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

namespace {

bool IsPlain(char c) { return c > ' ' && c < '\x7F' && c != '/'; }

}  // namespace

std::string FileName(std::string name, std::size_t longest) {
  if (name.size() <= longest && std::ranges::all_of(name, IsPlain)) return name;
  const std::string number = "." + std::to_string(StableHash(name));
  std::ranges::replace_if(
      name, [](char c) { return !IsPlain(c); }, '_');
  name.resize(std::min(name.size(), longest - number.size()));
  return name + number;
}

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

int SyncFolder(const std::filesystem::path& folder) {
  const kube::base::Descriptor descriptor(
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool is_synced = descriptor.get() >= 0 && fsync(descriptor.get()) == 0;
  return is_synced ? 0 : errno;
}

namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr mode_t kPrivate = 0600;

[[noreturn]] void Fail(const fs::path& path, int error) {
  throw kube::base::Error("cannot write \"" + path.string() +
                          "\": " + std::generic_category().message(error));
}

// Not every file system has the one (NFS), and not every one the other (FAT). False: see errno.
bool RenameToNew(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(from.c_str(), to.c_str()) == 0 && unlink(from.c_str()) == 0;
}

void RemoveIfAbandoned(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  close(file);
}

}  // namespace

PrivateFile::PrivateFile(fs::path path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate);
  if (file_ < 0) Fail(path_, errno);
  // Tells other runs that it is not abandoned. Where there are no locks nobody can take it for so.
  static_cast<void>(flock(file_, LOCK_EX | LOCK_NB));
}

PrivateFile::~PrivateFile() {
  if (file_ < 0) return;
  unlink(path_.c_str());
  close(file_);
}

void PrivateFile::Write(std::string_view bytes) {
  buffer_ += bytes;
  size_ += bytes.size();
  if (buffer_.size() >= kBufferBytes) Flush();
}

void PrivateFile::Flush() {
  if (const int error = kube::base::WriteAll(file_, buffer_)) Fail(path_, error);
  buffer_.clear();
}

void PrivateFile::Sync() {
  Flush();
  if (fsync(file_) != 0) Fail(path_, errno);
}

void PrivateFile::MoveTo(const fs::path& path) {
  Sync();
  if (rename(path_.c_str(), path.c_str()) != 0) Fail(path, errno);
  TakeName(path);
}

void PrivateFile::MoveToNew(const fs::path& path) {
  Sync();
  if (!RenameToNew(path_, path)) Fail(path, errno);
  TakeName(path);
}

void PrivateFile::TakeName(const fs::path& path) {
  close(std::exchange(file_, -1));
  path_ = path;
  const fs::path folder = path.parent_path();
  if (const int error = SyncFolder(folder)) Fail(folder, error);
}

void ReplacePrivateFile(const fs::path& path, std::string_view text) {
  const fs::path folder = path.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) Fail(folder, error.value());
  ReplacePrivateFileIn(path, text);
}

void ReplacePrivateFileIn(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::path made = path;
  made += ".new";
  fs::remove(made, error);  // of a run that was killed
  PrivateFile writing(made);
  writing.Write(text);
  writing.MoveTo(path);
}

bool BelongsToAnother(const fs::path& folder) {
  const auto is_anothers = [&folder](auto* get_status) {
    struct stat status = {};
    return get_status(folder.c_str(), &status) == 0 && status.st_uid != geteuid() &&
           status.st_uid != 0;
  };
  return is_anothers(stat) || is_anothers(lstat);
}

void RemoveAbandonedFiles(const fs::path& folder, std::string_view prefix,
                          std::string_view suffix) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) RemoveIfAbandoned(at->path());
  }
}

}  // namespace migrate::cluster
