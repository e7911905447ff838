#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/mutex.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"

/// Which writes of objects were seen while the server surely showed all of their fields.
namespace migrate::rewrite {

/// Writes a file of them. May be used by several threads.
class KnownWritesLog {
 public:
  /// Begins the file anew. Throws kube::base::Error if it cannot be written, as the other methods
  /// do. `generation` is that of the CRD, with pruning off.
  KnownWritesLog(const std::filesystem::path& file, std::int64_t generation);

  /// Notes that the object was seen as of this write, and whether the backup has it as that.
  void Add(std::string_view uid, std::string_view resource_version, bool is_in_backup);
  /// Makes the file complete, on the disk too; an earlier one is replaced.
  void Finish();

 private:
  std::filesystem::path path_;
  kube::base::Mutex mutex_;
  cluster::PrivateFile file_ GUARDED_BY(mutex_);
};

/// What KnownWritesLog noted: a hash of eight bytes for each write, and one more if it is in the
/// backup.
class KnownWrites {
 public:
  KnownWrites() = default;
  /// Absent if there is no such file, or it is not whole.
  static std::optional<KnownWrites> Read(const std::filesystem::path& file);

  bool Contains(std::string_view uid, std::string_view resource_version) const;
  /// Only what the backup has counts from now on, not what was seen to lose nothing.
  void KeepBackedUp() { only_backed_up_ = true; }
  /// As it was given to the log.
  std::int64_t generation() const { return generation_; }

 private:
  std::int64_t generation_ = 0;
  std::vector<std::uint64_t> hashes_;  // sorted
  bool only_backed_up_ = false;
};

/// Removes the file of an earlier KnownWritesLog. Throws kube::base::Error.
void ForgetKnownWrites(const std::filesystem::path& file);

/// True for an object whose last write nobody has seen, and which cannot be told to be newer than
/// the last one that a server may have stored unpruned: for SweepOptions::is_held.
///
/// An object's resource version is compared as a number (object_metadata.h) with `last_unpruned`,
/// that of the moment when the servers were seen to prune, or of the write that turns pruning on.
/// Where either is none, or empty, nothing is newer.
std::function<bool(const cluster::ListedObject&)> HoldUnknown(
    std::shared_ptr<const KnownWrites> known, const std::string& last_unpruned);

}  // namespace migrate::rewrite
