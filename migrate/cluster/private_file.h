#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

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

/// The mode of folders that nobody else may look into.
inline constexpr mode_t kPrivateFolder = 0700;

/// Makes the names in `folder` (empty: where we are) survive a loss of power. Returns the error
/// number, 0 where the disk has them; a folder that may be written but not read is an error.
int SyncFolder(const std::filesystem::path& folder);

/// A file that is being made and that nobody else may read (mode 0600). It is removed again unless
/// it is moved to its final name when it is complete.
///
/// Every method throws kube::base::Error, with the path and the cause, where the system refuses.
class PrivateFile {
 public:
  /// Makes it. Whatever has that name already, a link too, is an error.
  explicit PrivateFile(std::filesystem::path path);
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  ~PrivateFile();

  /// Appends; held back in memory until there is enough of it.
  void Write(std::string_view bytes);
  /// Writes out what was held back and waits until the disk has it.
  void Sync();
  /// Sync, and gives it its final name in the same folder, on the disk too. Replaces a file of that
  /// name; a link there is replaced, not followed. Nothing can be written any more.
  void MoveTo(const std::filesystem::path& path);
  /// The same, but whatever has that name already is an error.
  void MoveToNew(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// How much was written.
  std::uint64_t size() const { return size_; }

 private:
  void Flush();
  void TakeName(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  int file_ = -1;
};

/// Writes a file of this kind in the place of what has that name, in a folder that is made (mode
/// 0700) if it is not there. Throws kube::base::Error, also where the folder cannot be made. Not
/// for several writers of one file at once.
void ReplacePrivateFile(const std::filesystem::path& path, std::string_view text);

/// The same in a folder that somebody has named: it has to be there, and stays as it is.
void ReplacePrivateFileIn(const std::filesystem::path& path, std::string_view text);

/// True if `folder` belongs to another user than us and root: who could put something else in the
/// place of what we make there. False where that cannot be told.
bool BelongsToAnother(const std::filesystem::path& folder);

/// Removes what files of this kind a killed run left in `folder`: those named PREFIX*SUFFIX that no
/// running PrivateFile has open. Not an error where that cannot be done.
void RemoveAbandonedFiles(const std::filesystem::path& folder, std::string_view prefix,
                          std::string_view suffix);

}  // namespace migrate::cluster
