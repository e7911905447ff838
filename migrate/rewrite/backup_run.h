#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/mutex.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_watch.h"
#include "migrate/rewrite/backup.h"
#include "migrate/rewrite/known_writes.h"
#include "migrate/rewrite/migration_state.h"

namespace migrate::rewrite {

/// Picks a few of the objects that lose a field, the first ones of the list, for the wait until the
/// server prunes. May be used by several threads.
class LosingObjects {
 public:
  /// Looks at the object with this number in the list.
  void Look(const kube::json::Value& object, std::uint64_t number,
            const check::RewriteForecast& forecast);
  /// Forgets all: the list is read anew.
  void Clear();
  /// Those that are left without the ones that `is_unfit` says; by their place in the list.
  std::vector<LosingObject> Pick(const std::function<bool(std::string_view uid)>& is_unfit) const;

 private:
  bool IsWanted(std::uint64_t number) const;

  mutable kube::base::Mutex mutex_;
  std::map<std::uint64_t, LosingObject> objects_ GUARDED_BY(mutex_);  // by number
};

/// Which objects are backed up, and where to.
struct BackupRunOptions {
  std::string target;  ///< of their list, in all namespaces
  std::filesystem::path path;
  std::filesystem::path known_writes;  ///< the file of KnownWritesLog
  std::int64_t generation = 0;         ///< of the CRD
  std::int64_t chunk_size = 500;
  std::function<void(const cluster::ListProgress&)> on_progress{};
};

/// Backs up the objects that a rewrite will change, and keeps the backup current until it is told
/// to complete it: a watch shows what is written while the list is read and after it.
///
/// Whatever is not complete when it ends leaves nothing behind.
class BackupRun {
 public:
  enum class Step {
    kDone,
    kInterrupted,  ///< by Session::stop
    kFailed,       ///< see error()
  };

  /// All must outlive it. Throws kube::base::Error where a file cannot be made; so do the other
  /// methods where one cannot be written.
  BackupRun(const BackupRunOptions& options, const check::RewriteForecast& forecast,
            const kube::client::Session& session);
  ~BackupRun();

  /// Reads the list, and the watch until nothing has come for a moment.
  Step Read();
  /// Ends the watch: no object is read any more. After Read, and as shortly as can be before the
  /// write: what is written in between is not in the files.
  void EndWatch();
  /// Makes both files complete.
  BackupSummary Complete();

  const std::string& error() const { return error_; }
  /// Why the objects could not be watched: what was written since the list is not in the backup.
  /// Empty if they could.
  std::string unwatched_because() const;
  /// After Complete: objects that lose a field and were not written since the list.
  std::vector<LosingObject> losing() const;

 private:
  class Taker;

  Step ReadList();
  Step CatchUp();
  void Begin();
  void HandleItem(int attempt, kube::json::Document& item, std::uint64_t number);
  void HandleEvent(cluster::WatchEventType type, kube::json::Value& object);
  void Note(const kube::json::Value& object, bool is_backed_up);
  void AdvanceWatch(const std::string& resource_version);
  bool is_stopped() const { return session_.is_stopped(); }

  const BackupRunOptions& options_;
  const check::RewriteForecast& forecast_;
  const kube::client::Session session_;
  std::unique_ptr<Backup> backup_;
  std::unique_ptr<KnownWritesLog> known_;
  std::unique_ptr<cluster::ObjectWatch> watch_;
  LosingObjects losing_;
  int attempts_ = 0;  // to read the list
  std::string error_;
};

}  // namespace migrate::rewrite
