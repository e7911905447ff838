#include "migrate/rewrite/mutation_backup.h"

#include <system_error>
#include <utility>
#include <vector>

#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/stable_hash.h"
#include "migrate/cluster/state_file.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::rewrite {
namespace {

using kube::json::Value;

std::string NameOfObject(const Value& object) {
  const std::string namespace_(cluster::MetadataText(object, "namespace"));
  return (namespace_.empty() ? "" : namespace_ + "/") +
         std::string(cluster::MetadataText(object, "name"));
}

}  // namespace

std::filesystem::path MutationBackupPath(const std::filesystem::path& folder,
                                         const std::string& crd_name,
                                         std::chrono::sys_seconds now) {
  for (;; now += std::chrono::seconds(1)) {
    std::filesystem::path path = BackupPath(folder, crd_name + "-before-mutation", now);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return path;
  }
}

/// Takes the objects of one attempt to read the list.
class MutationBackup::Taker : public cluster::ItemTaker {
 public:
  Taker(MutationBackup& backup, int attempt) : backup_(backup), attempt_(attempt) {}
  void Take(std::size_t, kube::json::Document& item, std::uint64_t) override {
    backup_.TakeItem(attempt_, item);
  }

 private:
  MutationBackup& backup_;
  int attempt_;
};

MutationBackup::MutationBackup(MutationBackupOptions options,
                               std::shared_ptr<const check::ObjectMutation> mutation)
    : options_(std::move(options)), mutation_(std::move(mutation)) {}

MutationBackup::~MutationBackup() = default;

// Of several attempts to read a list only the last counts.
void MutationBackup::BeginList() {
  kept_.clear();
  objects_ = changing_ = refused_ = 0;
  first_refusal_.clear();
  first_unspecified_.clear();
}

MutationBackup::Step MutationBackup::Read(const kube::client::Session& session) {
  if (!options_.path.empty()) backup_ = std::make_unique<Backup>(options_.path);
  int attempts = 0;
  std::vector<cluster::ListJob> jobs;
  jobs.emplace_back(options_.target, [&]() -> std::shared_ptr<cluster::ItemTaker> {
    BeginList();
    return std::make_shared<Taker>(*this, ++attempts);
  });
  cluster::ReadLists(jobs, session,
                     {.chunk_size = options_.chunk_size,
                      .workers = cluster::WorkerCount(),
                      .lists_at_once = 1,
                      .on_progress = options_.on_progress});
  if (session.is_stopped()) return Step::kInterrupted;
  if (jobs[0].error) {
    error_ = jobs[0].error->message;
    return Step::kFailed;
  }
  if (backup_ && first_unspecified_.empty()) has_file_ = !backup_->Finish().path.empty();
  backup_.reset();
  return Step::kDone;
}

void MutationBackup::TakeItem(int attempt, kube::json::Document& item) {
  const auto mutated = mutation_->Apply(item.root(), item.arena());
  const std::uint64_t key = KeyOf(item.root());
  const bool changes = mutated && *mutated;
  std::string unspecified;
  if (changes && options_.find_unspecified) unspecified = options_.find_unspecified(**mutated);
  const std::lock_guard lock(mutex_);
  if (!unspecified.empty()) first_unspecified_ = std::move(unspecified);
  ++objects_;
  if (!mutated && refused_++ == 0) {
    first_refusal_ = NameOfObject(item.root()) + ": " + mutated.error();
  }
  if (!changes) return;
  ++changing_;
  if (!backup_) return;
  kept_.insert(key);
  backup_->AddListed(attempt, item.root());
}

report::MutationFacts MutationBackup::facts() const {
  return {.sources = mutation_->sources(),
          .objects = objects_,
          .objects_changing = changing_,
          .backup = has_file_ ? std::filesystem::absolute(options_.path).string() : ""};
}

std::uint64_t MutationBackup::KeyOf(const Value& object) {
  std::string text(cluster::MetadataText(object, "uid"));
  text += '\n';
  text += cluster::MetadataText(object, "resourceVersion");
  return cluster::StableHash(text);
}

void MutationBackup::Keep(const Value& object) {
  if (options_.path.empty() || kept_.contains(KeyOf(object))) return;
  kube::json::Arena arena;
  Value copy = kube::json::CopyForChange(object, arena);
  std::string line;
  PrintBackupLine(line, copy);
  // Makes the folder, where nothing was listed.
  if (!has_file_) Backup(options_.path).Finish();
  cluster::StateFile file(options_.path);
  file.Append(line);
  file.Sync();
  has_file_ = true;
  kept_.insert(KeyOf(object));
}

}  // namespace migrate::rewrite
