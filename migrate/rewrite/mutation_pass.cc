#include "migrate/rewrite/mutation_pass.h"

#include <utility>

#include "kube/base/error.h"
#include "kube/base/text.h"
#include "kube/schema/pruning.h"

namespace migrate::rewrite {
namespace {

using kube::json::Value;

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

void MutationPass::TellChanges() const {
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

void MutationPass::TellBackup() const {
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
