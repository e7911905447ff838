#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace migrate::cluster {

/// A hash of a text, the same on every machine and in every version: files and state hold it.
std::uint64_t StableHash(std::string_view text);

/// The longest name of a file (NAME_MAX).
inline constexpr std::size_t kLongestFileName = 255;

/// A name for a file out of the names that a server gave: `name` itself, if it is one of `longest`
/// bytes at most. What no file name can hold, and a server's object should not have (a slash,
/// blanks, control characters, whatever is not ASCII), is replaced, and told apart by a number that
/// is the same in every run. `name` holds more than dots.
std::string FileName(std::string name, std::size_t longest = kLongestFileName);

/// A file of our own that is read anywhere and grows at its end. Only its owner may read it, and a
/// symbolic link in its place is not followed.
///
/// All methods throw kube::base::Error, with the name of the file, where the system refuses (a full
/// disk).
class StateFile {
 public:
  /// Opens the file, or makes an empty one.
  explicit StateFile(std::filesystem::path path);
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;
  /// What was not flushed is lost, as after a kill.
  ~StateFile();

  const std::filesystem::path& path() const { return path_; }
  /// With what waits to be flushed.
  std::uint64_t size() const { return size_; }

  /// Adds to the end; keeps some of it in memory.
  void Append(std::string_view bytes);
  /// Hands everything to the system: it survives the death of this process.
  void Flush();
  /// Flush, and waits until it survives a loss of power.
  void Sync();
  /// Cuts everything from `size` on.
  void Truncate(std::uint64_t size);
  /// Reads what is there of `count` bytes at `offset`; only what was flushed. Returns how many.
  std::size_t ReadAt(std::uint64_t offset, char* bytes, std::size_t count) const;

 private:
  [[noreturn]] void Fail(const std::string& what) const;

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::string waiting_;
};

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
