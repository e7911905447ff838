#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "kube/base/mutex.h"
#include "migrate/check/object_diff.h"
#include "migrate/cluster/private_file.h"

namespace plugin::command {

/// Two folders for a diff program, as `kubectl diff` makes them: LIVE-... with the objects as they
/// are now, MERGED-... with what would become of them, a file of YAML for each object that differs.
/// One that would be made has an empty file in LIVE-..., and one that would go none in MERGED-....
/// They are made when they are needed, nobody else may read them, and both are gone at the
/// end. May be used by several threads.
///
/// Every method throws kube::base::Error where the system refuses a folder or a file.
class DiffFolders : public migrate::check::ChangeTaker {
 public:
  void Take(const migrate::check::ObjectChange& change) override;

  std::filesystem::path live() { return folders().live.path(); }
  std::filesystem::path merged() { return folders().merged.path(); }

 private:
  struct Folders {
    migrate::cluster::TemporaryFolder live{"LIVE-"}, merged{"MERGED-"};
  };

  Folders& folders();

  kube::base::Mutex mutex_;  // guards the files
  std::once_flag once_;
  std::unique_ptr<Folders> folders_;
};

/// The name of the object's file, kubectl's GROUP.VERSION.KIND.NAMESPACE.NAME, of the core group
/// without GROUP. What no file name can hold, and a server's object should not have, is replaced,
/// and told apart by a number.
std::string DiffFileName(const migrate::check::ObjectChange& change);

}  // namespace plugin::command
