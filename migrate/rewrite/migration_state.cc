#include "migrate/rewrite/migration_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kube/base/environment.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/client/answer_meaning.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"

namespace migrate::rewrite {

kube::base::Result<std::string, kube::client::CallError> FindClusterUid(
    kube::client::Client& client) {
  using kube::client::Meaning;
  const auto kube_system = client.Get("/api/v1/namespaces/kube-system");
  if (!kube_system) {
    const Meaning meaning = MeaningOf(kube_system.error());
    if (meaning == Meaning::kForbidden || meaning == Meaning::kNotFound) return std::string();
    return kube::base::Unexpected(kube_system.error());
  }
  return std::string(cluster::MetadataText((*kube_system)->root(), "uid"));
}

namespace {

namespace fs = std::filesystem;
using kube::base::Descriptor;

constexpr char kStateFile[] = "state.json";
constexpr char kNewStateFile[] = "state.json.new";
constexpr mode_t kPrivateFile = 0600;
// A few objects that lose fields with some paths each; whatever is longer is not ours.
constexpr std::size_t kMaxStateBytes = 16 * 1024 * 1024;

std::string Refusal(const std::string& what, const fs::path& path, int error) {
  return "cannot " + what + " \"" + path.string() + "\": " + std::generic_category().message(error);
}

[[noreturn]] void FailToKeepState(const std::string& what, const fs::path& path, int error) {
  throw kube::base::Error(Refusal(what, path, error) + " (choose another folder by --state-dir)");
}

// Of a folder that is in use: another one would not know what this one tells.
[[noreturn]] void FailInUse(const std::string& what, const fs::path& path, int error) {
  throw kube::base::Error(Refusal(what, path, error) +
                          "; fix that, then run the same command again");
}

// A uid comes from a server: as the name of a folder it must stay within its parent.
std::string FolderName(std::string_view uid, std::string_view otherwise) {
  constexpr std::size_t kLongest = 100;
  std::string name(uid.substr(0, kLongest));
  for (char& c : name) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    if (!is_plain) c = '_';
  }
  return name.empty() ? std::string(otherwise) : name;
}

// Opens a folder that is ours alone, made if it is not there; a link in its place is refused.
int OpenPrivateFolder(const fs::path& path) {
  if (mkdir(path.c_str(), cluster::kPrivateFolder) != 0 && errno != EEXIST)
    FailToKeepState("make", path, errno);
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.get() < 0) FailToKeepState("open", path, errno);
  struct stat status = {};
  if (fstat(folder.get(), &status) != 0) FailToKeepState("open", path, errno);
  if (status.st_uid != geteuid()) FailToKeepState("use", path, EPERM);
  if (fchmod(folder.get(), cluster::kPrivateFolder) != 0) FailToKeepState("use", path, errno);
  return folder.Release();
}

// Of the cluster under which there is the state of this CRD; empty: there is none.
fs::path FindClusterFolder(const fs::path& state_dir, const std::string& crd_folder) {
  std::error_code error;
  for (fs::directory_iterator at(state_dir, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (fs::exists(at->path() / crd_folder / kStateFile, ignored)) return at->path();
  }
  return {};
}

void WriteTo(int file, std::string_view text, const fs::path& path) {
  if (const int error = kube::base::WriteAll(file, text)) FailInUse("write", path, error);
}

void Sync(int descriptor, const fs::path& path) {
  if (fsync(descriptor) != 0) FailInUse("write", path, errno);
}

// Absent if it is too long.
std::optional<std::string> ReadAll(int file, const fs::path& path) {
  std::string text;
  char buffer[8192];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) FailInUse("read", path, errno);
    if (text.size() > kMaxStateBytes) return std::nullopt;
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

StateFolder::StateFolder(const fs::path& state_dir, const std::string& cluster,
                         const std::string& crd_uid, const std::string& crd_name)
    : crd_uid_(crd_uid) {
  const std::string crd_folder = FolderName(crd_uid, "crd");
  fs::path cluster_path = FindClusterFolder(state_dir, crd_folder);
  if (cluster_path.empty()) cluster_path = state_dir / FolderName(cluster, "cluster");
  path_ = cluster_path / crd_folder;
  std::error_code error;
  fs::create_directories(state_dir, error);
  if (error) FailToKeepState("make", state_dir, error.value());
  if (cluster::BelongsToAnother(state_dir)) FailToKeepState("use", state_dir, EPERM);
  const Descriptor cluster_folder(OpenPrivateFolder(cluster_path));
  Descriptor folder(OpenPrivateFolder(path_));
  if (flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) FailToKeepState("lock", path_, errno);
    throw kube::base::Error("another migration of \"" + crd_name + "\" is running (it uses \"" +
                            path_.string() + "\"); wait for it to end");
  }
  lock_ = folder.Release();
}

StateFolder::~StateFolder() {
  if (lock_ >= 0) close(lock_);
}

bool StateFolder::IsLeft(const fs::path& state_dir, const std::string& crd_uid) {
  return !FindClusterFolder(state_dir, FolderName(crd_uid, "crd")).empty();
}

MigrationState StateFolder::Load() const {
  MigrationState none;
  none.crd_uid = crd_uid_;
  const Descriptor file(openat(lock_, kStateFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  // What cannot be read may tell what is held.
  const fs::path path = path_ / kStateFile;
  if (file.get() < 0 && errno != ENOENT) FailInUse("read", path, errno);
  if (file.get() < 0) return none;
  const std::optional<std::string> text = ReadAll(file.get(), path);
  if (text && text->empty()) return none;
  std::optional<MigrationState> state = text ? ReadMigrationState(*text) : std::nullopt;
  if (state && state->crd_uid == crd_uid_) return *std::move(state);
  throw kube::base::Error(
      "\"" + path.string() +
      "\" is not the state of this migration (another release may have written it), "
      "and may tell which objects are held; go on with that release, or move the "
      "folder away to begin anew");
}

void StateFolder::Save(const MigrationState& state) {
  const fs::path path = path_ / kNewStateFile;
  unlinkat(lock_, kNewStateFile, 0);
  const Descriptor file(openat(lock_, kNewStateFile,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivateFile));
  if (file.get() < 0) FailInUse("write", path, errno);
  WriteTo(file.get(), PrintMigrationState(state), path);
  Sync(file.get(), path);
  if (renameat(lock_, kNewStateFile, lock_, kStateFile) != 0) FailInUse("write", path, errno);
  Sync(lock_, path_);
}

// The state goes first: without it what is left of the other files counts for nothing.
void StateFolder::Clear() {
  if (unlinkat(lock_, kStateFile, 0) != 0 && errno != ENOENT) FailInUse("clear", path_, errno);
  Sync(lock_, path_);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    fs::remove_all(entry.path(), error);
    if (error) break;
  }
  if (error) FailInUse("clear", path_, error.value());
}

fs::path FindStateDir() {
  const kube::base::Environment environment = kube::base::ProcessEnvironment();
  // The XDG specification: a relative path is invalid, and to be ignored.
  const fs::path state_home = environment.variable("XDG_STATE_HOME");
  if (state_home.is_absolute()) return state_home / "kubectl-prune";
  const fs::path home = environment.variable("HOME");
  return home.empty() ? home : home / ".local" / "state" / "kubectl-prune";
}

fs::path DefaultStateDir() {
  fs::path found = FindStateDir();
  if (!found.empty()) return found;
  throw kube::base::Error(
      "no folder for the state of the migration: neither XDG_STATE_HOME nor HOME is set; name one "
      "by --state-dir");
}

namespace {

using kube::json::Arena;
using kube::json::Document;
using kube::json::Type;
using kube::json::Value;
using Phase = MigrationState::Phase;

constexpr std::string_view kFormat = "kubectl-prune-state/v1";

constexpr std::pair<Phase, std::string_view> kPhases[] = {
    {Phase::kBeforePruning, "before-flip"},
    {Phase::kBackupComplete, "backup-complete"},
    {Phase::kRewriting, "rewriting"},
    {Phase::kHolding, "holding"},
};

std::string_view PhaseName(Phase phase) {
  for (const auto& [candidate, name] : kPhases) {
    if (candidate == phase) return name;
  }
  return {};
}

std::optional<Phase> PhaseOf(std::string_view name) {
  for (const auto& [phase, candidate] : kPhases) {
    if (candidate == name) return phase;
  }
  return std::nullopt;
}

Value Texts(const std::vector<std::string>& texts, Arena& arena) {
  Value array = Value::Array();
  for (const std::string& text : texts) array.Append(Value::String(text), arena);
  return array;
}

std::vector<std::string> TextsAt(const Value& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& element : object.At(key).elements()) texts.emplace_back(element.text());
  return texts;
}

Value LosingValue(const LosingObject& losing, Arena& arena) {
  Value object = Value::Object();
  object.Set("namespace", Value::String(losing.namespace_), arena);
  object.Set("name", Value::String(losing.name), arena);
  object.Set("uid", Value::String(losing.uid), arena);
  object.Set("paths", Texts(losing.paths, arena), arena);
  return object;
}

LosingObject ReadLosing(const Value& object) {
  return {.namespace_ = std::string(object.FindText("namespace")),
          .name = std::string(object.FindText("name")),
          .uid = std::string(object.FindText("uid")),
          .paths = TextsAt(object, "paths")};
}

}  // namespace

std::string PrintMigrationState(const MigrationState& state) {
  Arena arena;
  Value root = Value::Object();
  const auto set = [&](std::string_view key, Value value) { root.Set(key, value, arena); };
  set("format", Value::String(kFormat));
  set("phase", Value::String(PhaseName(state.phase)));
  set("crdUID", Value::String(state.crd_uid));
  set("generation", Value::Number(state.generation, arena));
  set("generationSeen", Value::Number(state.generation_seen, arena));
  set("storageVersion", Value::String(state.storage_version));
  set("address", Value::String(state.address));
  set("storedBefore", Texts(state.stored_before, arena));
  set("backup", Value::String(state.backup));
  const std::string schemas = std::to_string(state.schemas);  // JSON's numbers are signed here
  set("schemas", Value::String(schemas));
  const std::string kept_fields = std::to_string(state.kept_fields);
  set("keptFields", Value::String(kept_fields));
  set("mutation", Value::String(state.mutation));
  set("flipResourceVersion", Value::String(state.pruning_on_resource_version));
  set("settledResourceVersion", Value::String(state.settled_resource_version));
  set("engineMigration", Value::String(state.engine_migration));
  Value losing = Value::Array();
  for (const LosingObject& object : state.losing) losing.Append(LosingValue(object, arena), arena);
  set("doomed", losing);
  return kube::json::PrintIndented(root, kube::json::KeyOrder::kAsWritten) + "\n";
}

std::optional<MigrationState> ReadMigrationState(std::string_view text) {
  Document document;
  if (document.Parse(text)) return std::nullopt;
  const Value& root = document.root();
  const std::optional<Phase> phase = PhaseOf(root.FindText("phase"));
  const Value* generation = root.Find("generation", Type::kNumber);
  if (root.FindText("format") != kFormat || !phase || generation == nullptr) return std::nullopt;
  MigrationState state;
  state.phase = *phase;
  state.crd_uid = root.FindText("crdUID");
  state.generation = kube::json::AsInt64(*generation).value_or(0);
  state.generation_seen = kube::json::AsInt64(root.At("generationSeen")).value_or(0);
  state.storage_version = root.FindText("storageVersion");
  state.address = root.FindText("address");
  state.stored_before = TextsAt(root, "storedBefore");
  state.backup = root.FindText("backup");
  state.schemas = cluster::NumberOf(root.FindText("schemas"));
  state.kept_fields = cluster::NumberOf(root.FindText("keptFields"));
  state.mutation = root.FindText("mutation");
  state.pruning_on_resource_version = root.FindText("flipResourceVersion");
  state.settled_resource_version = root.FindText("settledResourceVersion");
  state.engine_migration = root.FindText("engineMigration");
  for (const Value& object : root.At("doomed").elements()) {
    state.losing.push_back(ReadLosing(object));
  }
  return state;
}

}  // namespace migrate::rewrite
