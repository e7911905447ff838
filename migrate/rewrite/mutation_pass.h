#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "kube/base/mutex.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "kube/schema/structural.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/backup.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// Which objects a mutation is for, and where those that it changes are kept.
struct MutationBackupOptions {
  std::string target;  ///< of their list, with selectors
  /// Empty: they are only counted. As BackupPath, of whatever name.
  std::filesystem::path path{};
  std::int64_t chunk_size = 500;
  std::function<void(const cluster::ListProgress&)> on_progress{};
  /// The first path of a mutated object that the server would not keep; empty: it keeps all. May be
  /// empty. Is called by several threads. Such objects are kept by no file: the run is to end.
  std::function<std::string(const kube::json::Value&)> find_unspecified{};
};

/// As BackupPath, of another name:
/// "FOLDER/widgets.demo.example.com-before-mutation-20261121T031500Z.ndjson"; of the first second
/// from `now` on that no file is of.
std::filesystem::path MutationBackupPath(const std::filesystem::path& folder,
                                         const std::string& crd_name, std::chrono::sys_seconds now);

/// Keeps objects as they are before a mutation changes them, each a line of JSON as in Backup, in
/// one file: those of a list, which is whole, and on the disk, before any of them is changed; and
/// those that were written since, or were not in the list, one by one. Of several lines of one
/// object the last is how it was when it was changed.
class MutationBackup {
 public:
  enum class Step {
    kDone,
    kInterrupted,  ///< by Session::stop
    kFailed,       ///< see error()
  };

  MutationBackup(MutationBackupOptions options,
                 std::shared_ptr<const check::ObjectMutation> mutation);
  ~MutationBackup();

  /// Reads the list, and keeps what will be changed. Throws kube::base::Error where the file cannot
  /// be written.
  Step Read(const kube::client::Session& session);
  const std::string& error() const { return error_; }
  /// Of what was read. `backup` is absolute, and known as soon as there is a file.
  report::MutationFacts facts() const;
  /// Of objects that the mutation cannot be applied to: how many, and one of them.
  std::uint64_t refused() const { return refused_; }
  const std::string& first_refusal() const { return first_refusal_; }
  /// What `find_unspecified` has found in one of the objects; there is no file then.
  const std::string& first_unspecified() const { return first_unspecified_; }

  /// To be called before `object`, as it was read, is changed: keeps it unless it is kept as this.
  /// When it returns the disk has it. Not for several threads. Throws as Read.
  void Keep(const kube::json::Value& object);

 private:
  class Taker;

  void BeginList();
  void HandleItem(int attempt, kube::json::Document& item);
  static std::uint64_t KeyOf(const kube::json::Value& object);

  const MutationBackupOptions options_;
  const std::shared_ptr<const check::ObjectMutation> mutation_;
  std::string error_;
  bool has_file_ = false;

  kube::base::Mutex mutex_;  // guards what follows while the list is read
  std::unique_ptr<Backup> backup_;
  std::unordered_set<std::uint64_t> kept_;  // hashes of uid and resource version
  std::uint64_t objects_ = 0, changing_ = 0, refused_ = 0;
  std::string first_refusal_, first_unspecified_;
};

/// By what a server prunes objects as they are written.
struct PruningSchema {
  const kube::schema::StructuralSchema* schema;  ///< the null pointer: nothing is specified
  std::string version;                           ///< whose it is
};

struct MutationPassOptions {
  std::string crd_name;
  std::string list;                    ///< path and selectors of the objects' list
  bool are_named = false;              ///< objects are not listed: nothing is foretold of them
  std::filesystem::path backup_dir{};  ///< empty: objects are not kept
  std::chrono::sys_seconds now{};      ///< for the name of the backup
  std::int64_t chunk_size = 500;
  std::optional<PruningSchema> pruned_by{};  ///< absent: unknown fields are preserved
};

/// A pass over objects that changes them: foretells what it changes, keeps these as they are, and
/// refuses what a server would take from them again.
class MutationPass {
 public:
  /// `session` must outlive it.
  MutationPass(MutationPassOptions options, std::shared_ptr<const check::ObjectMutation> mutation,
               const MigrationSession& session);

  /// Reads the list, and makes the backup. The error says why nothing may be written; it is of no
  /// interest where the session was stopped. Throws kube::base::Error where the backup cannot be
  /// written.
  std::optional<std::string> Prepare();
  /// Says how many objects will be changed, and which cannot be.
  void ReportChanges() const;
  /// Says where they are kept.
  void ReportBackup() const;
  report::MutationFacts facts() const { return backup_.facts(); }
  /// Of objects that the mutation cannot be applied to.
  std::uint64_t refused() const { return backup_.refused(); }

  /// Has the sweep of this target mutate; a dry run keeps nothing. This must outlive the sweep.
  void Join(SweepTarget& target);

 private:
  std::string FindUnspecified(const kube::json::Value& mutated) const;
  std::string DescribeUnspecified(const std::string& path) const;
  void Keep(const kube::json::Value& object);

  const MutationPassOptions options_;
  const std::shared_ptr<const check::ObjectMutation> mutation_;
  const MigrationSession session_;
  MutationBackup backup_;
};

}  // namespace migrate::rewrite
