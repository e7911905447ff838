#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/client/client.h"

namespace migrate::rewrite {

/// The uid of the namespace kube-system, which tells one cluster from the other; empty where there
/// is none, or it may not be read. Throws what Client::Get throws.
kube::base::Result<std::string, kube::client::CallError> FindClusterUid(
    kube::client::Client& client);

/// An object that loses fields by pruning, with the paths that a read must no longer show.
struct LosingObject {
  std::string namespace_, name, uid;
  std::vector<std::string> paths;  ///< as the server records them ("spec.ports[0].proto")
};

/// How far the migration of one CRD has come, as it is kept on disk between runs.
struct MigrationState {
  enum class Phase {
    kBeforePruning,   ///< nothing has changed that a new run would not do again
    kBackupComplete,  ///< the backup is whole and the write that turns pruning on was, or was about
                      ///< to be, asked for
    kRewriting,       ///< the server was seen to prune; the sweep after pruning is on was begun
    kHolding,         ///< a run ended, but some objects are held
  };

  Phase phase = Phase::kBeforePruning;
  std::string crd_uid;
  std::int64_t generation = 0;  ///< of the CRD, as of the phase
  /// When a run first saw the CRD at that: milliseconds of Unix time by its clock; 0: unknown.
  std::int64_t generation_seen = 0;
  std::string storage_version;
  std::string address;                     ///< kube::client::Session::address; empty: unknown
  std::vector<std::string> stored_before;  ///< status.storedVersions when the migration began
  std::string backup;                      ///< path of the finished backup; empty if there is none
  std::uint64_t schemas = 0;      ///< CrdShape::schemas, by which it was known what to back up
  std::uint64_t kept_fields = 0;  ///< CrdShape::kept_fields of then; 0: unknown
  std::string
      mutation;  ///< by which objects were mutated before pruning is turned on; empty: by none
  std::string pruning_on_resource_version;  ///< of the CRD as the answer to that write had it;
                                            ///< empty: unknown
  /// Of the objects when every server was seen to prune; empty: not yet, or there was nothing to
  /// see.
  std::string settled_resource_version;
  std::string engine_migration;  ///< name of the StorageVersionMigration that was made; empty: none
  std::vector<LosingObject> losing;  ///< a few, for the wait; empty if nothing is lost
};

/// The folder with what a migration of one CRD must not forget: state.json beside the files of the
/// sweeps. `--state-dir`/CLUSTER/CRD-UID, mode 0700, files 0600, links are not followed. Locked
/// (flock) while the object lives, so that two runs do not mix.
class StateFolder {
 public:
  /// Makes or opens it. `cluster` is the uid of the namespace kube-system, empty where it cannot be
  /// read; where another run has left the state of this very CRD under another cluster, as it could
  /// read that or could not, that one is opened. Throws kube::base::Error if it cannot be made, is
  /// not ours (`state_dir` may be root's), or is used by another run.
  StateFolder(const std::filesystem::path& state_dir, const std::string& cluster,
              const std::string& crd_uid, const std::string& crd_name);
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  ~StateFolder();

  /// True if a run has left something of this CRD in `state_dir`.
  static bool IsLeft(const std::filesystem::path& state_dir, const std::string& crd_uid);

  const std::filesystem::path& path() const { return path_; }
  /// What was saved last; a default one (with the CRD's uid) where there is none, or an empty file.
  /// Throws kube::base::Error where it cannot be read, or understood: it may tell what is held.
  MigrationState Load() const;
  /// Replaces state.json: temporary file, fsync, rename, fsync of the folder. Throws
  /// kube::base::Error.
  void Save(const MigrationState& state);
  /// Forgets the state and all files of sweeps.
  void Clear();

 private:
  std::filesystem::path path_;
  std::string crd_uid_;
  int lock_ = -1;
};

/// `--state-dir`'s default: $XDG_STATE_HOME/kubectl-prune, else ~/.local/state/kubectl-prune; empty
/// where there is no home.
std::filesystem::path FindStateDir();

/// The same. Throws kube::base::Error where there is no home.
std::filesystem::path DefaultStateDir();

/// `state` as state.json holds it.
std::string PrintMigrationState(const MigrationState& state);

/// What state.json says; absent where it is none that PrintMigrationState wrote (torn, or of
/// another release).
std::optional<MigrationState> ReadMigrationState(std::string_view text);

}  // namespace migrate::rewrite
