#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "migrate/check/crd_guard.h"
#include "migrate/rewrite/migration_state.h"

namespace migrate::rewrite {

/// The CRD of a run, as it is when the run begins.
struct RunOfCrd {
  std::string crd_name;
  check::CrdShape shape;
  std::vector<std::string> stored_versions;  ///< status.storedVersions
  bool is_partial = false;                   ///< over some of its objects: leaves nothing to others
  std::string address{};                     ///< kube::client::Session::address
  /// Whether what a run has left that knew the cluster at another address is taken over: uids are
  /// the same in a cluster that was made of a snapshot. Empty: it is.
  std::function<bool(const std::string& address)> may_take_over{};
};

/// What the runs over one CRD leave to each other on disk, and the only one who reads or writes it,
/// but for what is in the files of the sweeps and of known_writes(): how far the migration has
/// come, and which files there are. A run takes over what still holds for the CRD as it is now;
/// that objects are held holds as long as the server prunes, whatever else of the CRD changes.
///
/// What is noted is on the disk when the call returns. Each method that writes throws
/// kube::base::Error or std::filesystem::filesystem_error where that cannot be done.
class RunState {
 public:
  /// How a run ended, as the next one has to know it.
  enum class End {
    kInTheMiddle,  ///< the next run goes on where this one was
    kHolding,      ///< the next run begins anew, but knows what is held
    kFailures,     ///< the same, and after pruning is on the backup is still needed
    kDone,         ///< the next run begins anew
  };

  /// Forgets what does not hold any more, unless the run is partial. Throws kube::base::Error as
  /// StateFolder does, and where RunOfCrd::may_take_over says no; all stays as it is then.
  /// `now` is the time of day.
  RunState(const std::filesystem::path& state_dir, const std::string& cluster, RunOfCrd run,
           std::chrono::system_clock::time_point now);

  /// What is noted by now, by earlier runs and by this one: what the disk has. Where a Note below
  /// throws, as it cannot be written, this is what it was.
  const MigrationState& noted() const { return state_; }
  /// An earlier run has come to no end, or holds objects.
  bool goes_on() const { return goes_on_; }
  /// A run has made its backup, and the CRD prunes by now: by that run, or somebody else.
  bool is_pruning_on() const;
  /// status.storedVersions when the first of the runs began.
  const std::vector<std::string>& stored_before() const { return run_.stored_versions; }

  /// As check::TimeUntilNoticed, by what runs have seen of the CRD as it is.
  std::chrono::system_clock::duration TimeUntilNoticed(
      std::chrono::system_clock::time_point now) const;

  /// The backup is whole (`backup`, an absolute path; empty: there is to be none), and the write
  /// that turns pruning on may be asked for from now on. `mutation`: MigrationState::mutation.
  void NoteBackup(const std::string& backup, std::vector<LosingObject> losing,
                  const std::string& mutation = "");
  /// Pruning was turned on, by which the CRD got this resource version and generation.
  void NotePruningOn(const std::string& resource_version, std::int64_t generation,
                     std::chrono::system_clock::time_point now);
  /// The same of the write that turns pruning on, whose answer an earlier run did not see; empty:
  /// it is not to be found out.
  void NotePruningFoundOn(const std::string& resource_version);
  /// Every server was seen to prune when the objects' list had this resource version.
  void NoteSettled(const std::string& resource_version);
  /// The sweep after pruning is on begins, and `shape` is the CRD's from now on.
  void NoteRewriting(const check::CrdShape& shape);

  /// As what the last runs before this one were known to others in the cluster, and may still be
  /// there: whoever has this folder knows that they have ended.
  std::vector<std::string> earlier_identities() const;
  /// This one is from now on; to be noted before it is there.
  void NoteIdentity(const std::string& identity);

  /// A StorageVersionMigration of this name is made; not to be called in a partial run.
  void NoteEngine(const std::string& name);

  /// Where the files of the sweeps over the objects belong; made, mode 0700, if it is not there.
  std::filesystem::path MakeSweepFolder() const;
  /// The same for the rewrite before pruning is turned on.
  std::filesystem::path MakeFolderBeforePruning() const;
  /// That folder, whether it is there or not.
  std::filesystem::path folder_before_pruning() const;
  /// What that rewrite has left is not to be gone on from.
  void ForgetBeforePruning();
  /// Where it is written down which writes of objects the backup knows (KnownWritesLog).
  std::filesystem::path known_writes() const;

  /// To be called once, at the end of a run; without it a run counts as one that ended in the
  /// middle. One that ends before it has begun anything leaves nothing behind.
  void Close(End end);

 private:
  void RequireAddress();
  void TakeOver();
  bool HoldsForCrd() const;
  bool IsBegun() const;
  bool HasBegunNothing() const;
  std::filesystem::path sweep_folder() const;
  void SaveShape(MigrationState next);
  void KeepWithoutSweeps(MigrationState::Phase phase);
  void Save(MigrationState next);

  RunOfCrd run_;
  StateFolder folder_;
  MigrationState state_;  // as it is on disk
  bool goes_on_ = false;
};

}  // namespace migrate::rewrite
