#include "migrate/rewrite/backup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/proposals.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using kube::json::Value;

constexpr char kPartialCrd[] = ".crd.partial";

}  // namespace

fs::path PrunedByPath(const fs::path& backup) {
  fs::path path = backup;
  return path.replace_extension(".crd.json");
}

void WritePrunedBy(const fs::path& backup, const kube::crd::Crd& crd,
                   const std::vector<std::string>& stored_versions) {
  kube::json::Arena arena;
  Value root = kube::json::CopyForChange(crd.document->root(), arena);
  Value stored = Value::Array();
  for (const std::string& version : stored_versions) stored.Append(Value::String(version), arena);
  if (Value* metadata = root.Find("metadata")) metadata->Erase("managedFields");
  Value status = Value::Object();
  status.SetNew("storedVersions", stored, arena);
  root.Set("status", status, arena);
  const fs::path path = PrunedByPath(backup);
  cluster::PrivateFile file(path.parent_path() / ("." + path.stem().string() + kPartialCrd));
  file.Write(kube::json::PrintIndented(root) + "\n");
  file.MoveToNew(path);
}

kube::crd::Crd ReadPrunedBy(const fs::path& file) {
  cluster::Proposals read = cluster::ReadProposals({file.string()}, /*recursive=*/false);
  if (!read.errors.empty()) throw kube::base::Error(read.errors.front());
  if (read.crds.size() == 1) return std::move(read.crds.front().crd);
  throw kube::base::Error("\"" + file.string() + "\" holds " + std::to_string(read.crds.size()) +
                          " CustomResourceDefinitions. It has to hold one, by "
                          "whose schema the objects of the backup were pruned");
}

namespace {

constexpr char kPartial[] = ".partial";
constexpr char kCompacting[] = ".compact.partial";

[[noreturn]] void Fail(const fs::path& path, const std::string& why) {
  throw kube::base::Error("cannot write the backup \"" + path.string() + "\": " + why);
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(FolderOf(folder), error);
  if (mkdir(folder.c_str(), cluster::kPrivateFolder) == 0) return;
  if (errno != EEXIST) Fail(folder, std::generic_category().message(errno));
  if (!fs::is_directory(folder, error)) Fail(folder, "it is no folder");
  if (cluster::BelongsToAnother(folder)) {
    Fail(folder,
         "the folder belongs to another user, who could put something else in its place; "
         "choose another by --backup-dir");
  }
}

// "widgets.demo.example.com-" of "widgets.demo.example.com-20261121T031500Z.ndjson".
std::string PrefixOf(const fs::path& path) {
  const std::string name = path.filename().string();
  return "." + name.substr(0, name.rfind('-') + 1);
}

fs::path HiddenPath(const fs::path& path, const char* suffix) {
  return FolderOf(path) / ("." + path.filename().string() + suffix);
}

std::uint64_t HashOfUid(const Value& object) {
  return cluster::StableHash(cluster::MetadataText(object, "uid"));
}

std::uint64_t VersionOf(const Value& object) {
  return cluster::NumberOf(cluster::MetadataText(object, "resourceVersion"));
}

}  // namespace

fs::path BackupPath(const fs::path& folder, const std::string& crd_name,
                    std::chrono::sys_seconds now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  char text[64];
  std::snprintf(text, sizeof text, "-%04d%02u%02uT%02d%02d%02dZ.ndjson",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  // Room for what HiddenPath adds.
  constexpr std::size_t kLongestCrdName = 200;
  return folder / (cluster::FileName(crd_name, kLongestCrdName) + text);
}

std::string WhyNotWritable(const fs::path& file) {
  if (file.empty()) return "";
  std::error_code error;
  fs::path folder = fs::absolute(file).parent_path();
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  int cause = ENOTDIR;
  if (fs::is_directory(folder, error)) cause = access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
  if (cause == 0) return "";
  return "\"" + file.string() + "\": " + std::generic_category().message(cause);
}

void PrintBackupLine(std::string& out, Value& object) {
  if (Value* metadata = object.Find("metadata")) metadata->Erase("resourceVersion");
  kube::json::PrintTo(out, object, kube::json::KeyOrder::kAsWritten);
  out += '\n';
}

Backup::Backup(fs::path path) : path_(std::move(path)) {
  const fs::path folder = FolderOf(path_);
  MakeFolder(folder);
  cluster::RemoveAbandonedFiles(folder, PrefixOf(path_), kPartial);
  if (fs::symlink_status(path_).type() != fs::file_type::not_found) {
    Fail(path_, "something of that name is there already");
  }
  file_ = std::make_unique<cluster::PrivateFile>(HiddenPath(path_, kPartial));
}

std::size_t Backup::Append(int attempt, Value& object) {
  const std::uint64_t version = VersionOf(object);
  std::string text;
  PrintBackupLine(text, object);
  const kube::base::MutexLock lock(mutex_);
  file_->Write(text);
  lines_.push_back({HashOfUid(object), version, attempt});
  if (attempt != kWatched) last_attempt_ = std::max(last_attempt_, attempt);
  return lines_.size() - 1;
}

void Backup::AddListed(int attempt, Value& object) { Append(attempt, object); }

void Backup::AddWritten(Value& object) {
  const std::uint64_t version = VersionOf(object);
  const std::size_t line = Append(kWatched, object);
  Note(HashOfUid(object), {version, line});
}

void Backup::Drop(const Value& object) {
  Note(HashOfUid(object), {VersionOf(object), std::nullopt});
}

// Where a watch had to go back some way, it shows again what it has shown.
void Backup::Note(std::uint64_t uid, const Write& write) {
  const kube::base::MutexLock lock(mutex_);
  const auto [found, is_new] = writes_.try_emplace(uid, write);
  if (!is_new && (write.version == 0 || write.version >= found->second.version)) {
    found->second = write;
  }
}

bool Backup::HasWrites(std::string_view uid) const {
  const kube::base::MutexLock lock(mutex_);
  return writes_.contains(cluster::StableHash(uid));
}

void Backup::Sync() {
  const kube::base::MutexLock lock(mutex_);
  file_->Sync();
}

// A list that went on behind an expired token shows objects that are newer than its first page,
// from which the watch goes on.
void Backup::PreferNewerListed() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].attempt != last_attempt_ || lines_[i].version == 0) continue;
    const auto written = writes_.find(lines_[i].uid);
    if (written == writes_.end() || written->second.version >= lines_[i].version) continue;
    written->second = {lines_[i].version, i};
  }
}

bool Backup::IsKept(std::size_t line) const {
  const auto written = writes_.find(lines_[line].uid);
  if (written != writes_.end()) return written->second.line == line;
  return lines_[line].attempt == last_attempt_;
}

bool Backup::AreAllKept() const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!IsKept(i)) return false;
  }
  return true;
}

BackupSummary Backup::Finish() {
  const kube::base::MutexLock lock(mutex_);
  PreferNewerListed();
  if (!AreAllKept()) return Compact();
  BackupSummary summary{path_.string(), lines_.size(), file_->size()};
  if (lines_.empty()) return {};
  file_->MoveToNew(path_);
  return summary;
}

BackupSummary Backup::Compact() {
  file_->Sync();
  std::ifstream from(file_->path(), std::ios::binary);
  cluster::PrivateFile to(HiddenPath(path_, kCompacting));
  BackupSummary summary{path_.string(), 0, 0};
  std::string text;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!std::getline(from, text)) Fail(path_, "it cannot be read again");
    if (!IsKept(i)) continue;
    to.Write(text.append("\n"));
    ++summary.objects;
  }
  summary.bytes = to.size();
  if (summary.objects == 0) return {};
  to.MoveToNew(path_);
  return summary;
}

}  // namespace migrate::rewrite
