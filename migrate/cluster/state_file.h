#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace migrate::cluster {

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

}  // namespace migrate::cluster
