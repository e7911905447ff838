#include "plugin/command/diff_folders.h"

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/result.h"
#include "kube/yaml/yaml.h"
#include "migrate/cluster/private_file.h"

namespace plugin::command {
namespace {

namespace fs = std::filesystem;

void WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return;
  throw kube::base::Error("cannot write \"" + path.string() + "\": " +
                          std::generic_category().message(errno) + " (TMPDIR names another place)");
}

}  // namespace

DiffFolders::Folders& DiffFolders::folders() {
  std::call_once(once_, [this] { folders_ = std::make_unique<Folders>(); });
  return *folders_;
}

void DiffFolders::Take(const migrate::check::ObjectChange& change) {
  const std::string name = DiffFileName(change);
  std::string now, after;
  if (change.differs) {
    if (!change.now.is_null()) now = kube::yaml::Print(change.now);
    after = kube::yaml::Print(change.after);
  }
  const kube::base::MutexLock lock(mutex_);
  // There may be an older state of the object.
  std::error_code ignored;
  if (change.differs) {
    WriteFile(live() / name, now);
  } else {
    fs::remove(live() / name, ignored);
  }
  if (change.differs && !change.after.is_null()) {
    WriteFile(merged() / name, after);
  } else {
    fs::remove(merged() / name, ignored);
  }
}

std::string DiffFileName(const migrate::check::ObjectChange& change) {
  std::string name(change.group);
  if (!name.empty()) name += ".";
  name += change.version;
  for (const std::string_view part : {change.kind, change.namespace_, change.name}) {
    name.append(".").append(part);
  }
  return migrate::cluster::FileName(std::move(name));
}

}  // namespace plugin::command
