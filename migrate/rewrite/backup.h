#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/base/mutex.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/cluster/private_file.h"

namespace migrate::rewrite {

// The CRD by which the objects of a backup were pruned: a file beside it, by which it can be told
// later what pruning took.

/// "FOLDER/widgets.demo.example.com-20261121T031500Z.crd.json" of the same with .ndjson.
std::filesystem::path PrunedByPath(const std::filesystem::path& backup);

/// Writes it: `crd` as it is, but with these status.storedVersions: those of which objects are when
/// they are pruned. Mode 0600, on the disk when the call returns. Throws kube::base::Error, also if
/// there is something of that name.
void WritePrunedBy(const std::filesystem::path& backup, const kube::crd::Crd& crd,
                   const std::vector<std::string>& stored_versions);

/// Reads the CRD of a file, which may hold anything: JSON or YAML, one CRD. Throws
/// kube::base::Error with the path and why it cannot be read.
kube::crd::Crd ReadPrunedBy(const std::filesystem::path& file);

/// Where the backup of a CRD's objects that begins now is to be:
/// "FOLDER/widgets.demo.example.com-20261121T031500Z.ndjson". No name leads out of the folder.
std::filesystem::path BackupPath(const std::filesystem::path& folder, const std::string& crd_name,
                                 std::chrono::sys_seconds now);

/// Why a file of this path could not be made, quoted path first, as far as the rights to the folder
/// tell, or to what is there of it; empty if it could, and for an empty path. Makes nothing.
std::string WhyNotWritable(const std::filesystem::path& file);

/// Adds the line of a backup for `object`: the object as the server sent it, numbers as text,
/// without the metadata.resourceVersion, by which `kubectl replace` would refuse to bring it back.
/// That is taken out of `object` too.
void PrintBackupLine(std::string& out, kube::json::Value& object);

/// What a backup that is complete holds.
struct BackupSummary {
  std::string path;  ///< empty: there was no object to hold, and there is no file
  std::uint64_t objects = 0, bytes = 0;
};

/// A backup in the making: each object a line of JSON (NDJSON, which kubectl reads as it is), as it
/// was written last. Objects come from a list and, meanwhile or later, from a watch from that
/// list's resource version.
///
/// Until it is complete the file has another name; what is left of it when something fails is
/// removed, also that of earlier runs that were killed. Memory is 24 bytes an object, and some more
/// for those that the watch showed.
///
/// Methods but the last may be called by several threads. They throw kube::base::Error where the
/// file cannot be written.
class Backup {
 public:
  /// Makes the folder of `path` (mode 0700) if it is not there, and the file. Throws
  /// kube::base::Error, also if `path` exists or its folder BelongsToAnother.
  explicit Backup(std::filesystem::path path);

  /// Adds an object of the list. Of several `attempts` to read that list only the last counts.
  void AddListed(int attempt, kube::json::Value& object);
  /// Adds an object as a watch shows it, in the place of what is there of it.
  void AddWritten(kube::json::Value& object);
  /// The watch shows that there is nothing to keep of this object any more.
  void Drop(const kube::json::Value& object);
  /// True if the watch has shown the object.
  bool HasWrites(std::string_view uid) const;

  /// Writes out what there is, so that Finish has little left to do.
  void Sync();
  /// Makes it complete: only the last line of each object stays, the disk has it, and it gets its
  /// name. To be called once.
  BackupSummary Finish();

 private:
  static constexpr int kWatched = -1;

  struct Line {
    std::uint64_t uid;      // hash
    std::uint64_t version;  // resource version; 0: cannot be compared
    int attempt;
  };
  /// What the watch showed last of an object.
  struct Write {
    std::uint64_t version;
    std::optional<std::size_t> line;
  };

  mutable kube::base::Mutex mutex_;

  std::size_t Append(int attempt, kube::json::Value& object);
  void Note(std::uint64_t uid, const Write& write);
  void PreferNewerListed() REQUIRES(mutex_);
  bool IsKept(std::size_t line) const REQUIRES(mutex_);
  bool AreAllKept() const REQUIRES(mutex_);
  BackupSummary Compact() REQUIRES(mutex_);

  std::filesystem::path path_;
  std::unique_ptr<cluster::PrivateFile> file_ GUARDED_BY(mutex_);
  std::deque<Line> lines_ GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, Write> writes_ GUARDED_BY(mutex_);  // by the hash of the uid
  int last_attempt_ GUARDED_BY(mutex_) = 0;
};

}  // namespace migrate::rewrite
