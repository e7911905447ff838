#include "migrate/rewrite/mutation_pass.h"

#include <system_error>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/schema/pruning.h"
#include "migrate/check/crd_check.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::rewrite {
namespace {

using kube::json::Value;

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
  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override {
    backup_.HandleItem(attempt_, item);
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

void MutationBackup::HandleItem(int attempt, kube::json::Document& item) {
  const auto mutated = mutation_->Apply(item.root(), item.arena());
  const std::uint64_t key = KeyOf(item.root());
  const bool changes = mutated && *mutated;
  std::string unspecified;
  if (changes && options_.find_unspecified) unspecified = options_.find_unspecified(**mutated);
  const kube::base::MutexLock lock(mutex_);
  if (!unspecified.empty()) first_unspecified_ = std::move(unspecified);
  ++objects_;
  if (!mutated && refused_++ == 0) {
    first_refusal_ = check::FullName(item.root()) + ": " + mutated.error();
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

namespace {

/// Of all paths the first one, bytewise.
class FirstPath : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField& field) override {
    std::string found = field.Path();
    if (path.empty() || found < path) path = std::move(found);
  }
  std::string path;
};

std::filesystem::path BackupPathOf(const MutationPassOptions& options) {
  if (options.backup_dir.empty()) return {};
  return MutationBackupPath(options.backup_dir, options.crd_name, options.now);
}

}  // namespace

MutationPass::MutationPass(MutationPassOptions options,
                           std::shared_ptr<const check::ObjectMutation> mutation,
                           const MigrationSession& session)
    : options_(std::move(options)),
      mutation_(std::move(mutation)),
      session_(session),
      backup_(
          {.target = options_.list,
           .path = BackupPathOf(options_),
           .chunk_size = options_.chunk_size,
           .on_progress = ProgressOf("reading " + options_.crd_name, session.observer),
           .find_unspecified = [this](const Value& mutated) { return FindUnspecified(mutated); }},
          mutation_) {}

std::optional<std::string> MutationPass::Prepare() {
  if (options_.are_named) return std::nullopt;
  using Step = MutationBackup::Step;
  const Step step = backup_.Read(session_);
  if (step == Step::kInterrupted) return "interrupted";
  if (step == Step::kFailed) return backup_.error();
  const std::string& lost = backup_.first_unspecified();
  if (lost.empty()) return std::nullopt;
  return DescribeUnspecified(lost) + "; nothing was written";
}

void MutationPass::ReportChanges() const {
  if (options_.are_named) return;
  const report::MutationFacts facts = backup_.facts();
  const std::string& name = options_.crd_name;
  session_.observer.OnLine(name + ": " + facts.sources + " changes " +
                           std::to_string(facts.objects_changing) + " of " +
                           kube::base::Count(facts.objects, "object"));
  if (backup_.refused() == 0) return;
  session_.observer.OnLine("Warning: " + name + ": " +
                           kube::base::Count(backup_.refused(), "object") +
                           " cannot be mutated: " + backup_.first_refusal());
}

void MutationPass::ReportBackup() const {
  const report::MutationFacts facts = backup_.facts();
  if (facts.backup.empty()) return;
  session_.observer.OnLine("backup: " + facts.backup + " (" +
                           kube::base::Count(facts.objects_changing, "object") +
                           " before the mutation)");
}

void MutationPass::Join(SweepTarget& target) {
  target.mutation = mutation_;
  if (!target.dry_run) target.on_mutation = [this](const Value& object) { Keep(object); };
}

void MutationPass::Keep(const Value& object) {
  // Those that are named were not read before.
  if (options_.are_named) {
    kube::json::Arena arena;
    const auto mutated = mutation_->Apply(object, arena);
    const std::string path = mutated && *mutated ? FindUnspecified(**mutated) : "";
    if (!path.empty()) throw kube::base::Error(DescribeUnspecified(path));
  }
  backup_.Keep(object);
}

// What the server would take of the mutated object; what was read is pruned.
std::string MutationPass::FindUnspecified(const Value& mutated) const {
  if (!options_.pruned_by) return "";
  FirstPath found;
  kube::schema::FindLostFields(mutated, options_.pruned_by->schema, found);
  return found.path;
}

std::string MutationPass::DescribeUnspecified(const std::string& path) const {
  return mutation_->sources() + " sets " + path + ", which the schema of " +
         options_.pruned_by->version +
         " does not specify, so that the API server would prune it; specify it first, or take it "
         "out of the tree";
}

}  // namespace migrate::rewrite
