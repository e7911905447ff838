#include "migrate/migration/pruning_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/report/program_name.h"
#include "migrate/rewrite/backup.h"
#include "migrate/rewrite/backup_run.h"

namespace migrate::migration {
namespace {

// As many names as fit a line.
constexpr std::size_t kMostNames = 5;

/// Looks at each object of one attempt to read the list.
class DryRunTaker : public cluster::ItemTaker {
 public:
  DryRunTaker(const check::CrdCheck* check, const check::RewriteForecast* forecast,
              const check::ObjectMutation* mutation, std::size_t workers)
      : check_(*check), forecast_(*forecast), mutation_(mutation), workers_(workers) {}

  void Handle(std::size_t worker, kube::json::Document& item, std::uint64_t number) override {
    Worker& own = workers_[worker];
    if (mutation_ != nullptr) Mutate(item, own);
    check_.CheckObject({item.root(), {0, number, 0}, ""}, own.tally);
    losing_.Look(item.root(), number, forecast_);
    own.sizes.Add(item.root(), number, item.text_size());
    if (!forecast_.Changes(item.root())) return;
    own.line.clear();
    rewrite::PrintBackupLine(own.line, item.root());
    ++own.objects;
    own.bytes += own.line.size();
  }

  PruningDryRun Result() {
    PruningDryRun result;
    check::CrdTally sum;
    for (Worker& worker : workers_) {
      sum.Merge(std::move(worker.tally));
      result.backup_objects += worker.objects;
      result.backup_bytes += worker.bytes;
      result.mutated += worker.mutated;
      result.sizes.Merge(std::move(worker.sizes));
      if (result.mutation_error.empty()) result.mutation_error = worker.mutation_error;
    }
    result.report = check_.Report(sum);
    result.losing = losing_.Pick([](std::string_view) { return false; });
    return result;
  }

 private:
  struct Worker {
    check::CrdTally tally;
    std::uint64_t objects = 0, bytes = 0;
    std::uint64_t mutated = 0;
    std::string mutation_error;
    ObjectSizes sizes;
    std::string line;
  };

  // From here on the object is what the write before pruning is turned on makes of it.
  void Mutate(kube::json::Document& item, Worker& own) const {
    const auto mutated = mutation_->Apply(item.root(), item.arena());
    if (!mutated) {
      own.mutation_error = check::FullName(item.root()) + ": " + mutated.error();
    } else if (*mutated) {
      item.root() = **mutated;
      ++own.mutated;
    }
  }

  const check::CrdCheck& check_;
  const check::RewriteForecast& forecast_;
  const check::ObjectMutation* mutation_;
  std::vector<Worker> workers_;
  rewrite::LosingObjects losing_;
};

std::string Bytes(std::uint64_t bytes) {
  constexpr double kUnit = 1024;
  const char* unit = "KiB";
  double size = static_cast<double>(bytes) / kUnit;
  if (size >= kUnit) {
    size /= kUnit;
    unit = "MiB";
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %s", size, unit);
  return text;
}

// Of the first object by path, as far as the server does not tolerate it.
std::string FirstRefusal(const report::ValidityReport& validity) {
  const auto first = std::ranges::find_if(
      validity.fields, [&](const report::InvalidUse& use) { return validity.Refuses(use); });
  if (first == validity.fields.end()) return "";
  const std::string object = first->examples.empty() ? "" : first->examples.front() + ": ";
  return ": " + object + first->message;
}

// Empty where there is nothing to warn of.
std::string RefusedLine(const report::CrdReport& crd, const report::ValidityReport& validity) {
  const std::uint64_t count = validity.objects;
  if (count == 0) return "";
  return "Warning: once pruned, the API server refuses every write of " +
         kube::base::Count(count, "object") + ", which " + (count == 1 ? "counts" : "count") +
         " as invalid (" + report::OwnClusterCommand("check " + crd.name) + ")" +
         FirstRefusal(validity) + (count == 1 ? "" : ", ...");
}

// Empty where there is nothing to warn of.
std::string InvalidLine(const PruningDryRun& dry_run) {
  const report::CrdReport& crd = dry_run.report;
  const auto version =
      std::ranges::find(crd.versions, dry_run.write_version, &report::VersionReport::name);
  if (version == crd.versions.end()) return "";
  if (version->validity) return RefusedLine(crd, *version->validity);
  const std::uint64_t count = version->objects_invalid_once_pruned.value_or(0);
  if (count == 0) return "";
  return "Warning: once pruned, " + kube::base::Count(count, "object") +
         " would be invalid, and updates refused (" +
         report::OwnClusterCommand("check " + crd.name) +
         "): " + version->invalid_once_pruned.at(0) + (count == 1 ? "" : ", ...");
}

// As a rule objects are rewritten in the storage version.
bool IsRewrittenBy(const report::VersionReport& version, const PruningPlan& plan) {
  return version.storage || version.name == plan.dry_run.write_version;
}

// Each path once, of several versions as the one has it in which most objects lose it.
std::vector<report::FieldUse> FieldsLost(const PruningPlan& plan) {
  const report::CrdReport& crd = plan.dry_run.report;
  if (plan.in_one_pass && crd.storage_migration) return crd.storage_migration->pruned_fields;
  std::map<std::string_view, const report::FieldUse*> by_path;
  for (const report::VersionReport& version : crd.versions) {
    if (!IsRewrittenBy(version, plan)) continue;
    for (const report::FieldUse& use : version.pruned_fields) {
      const report::FieldUse*& most = by_path[use.path];
      if (most == nullptr || most->objects < use.objects) most = &use;
    }
  }
  std::vector<report::FieldUse> fields;
  for (const auto& [path, use] : by_path) fields.push_back(*use);
  return fields;
}

std::uint64_t ObjectsLosing(const PruningPlan& plan) {
  const report::CrdReport& crd = plan.dry_run.report;
  if (plan.in_one_pass && crd.storage_migration) {
    return crd.storage_migration->objects_losing_fields;
  }
  std::uint64_t losing = 0;
  int versions = 0;
  for (const report::VersionReport& version : crd.versions) {
    if (!IsRewrittenBy(version, plan)) continue;
    losing = version.objects_losing_fields;
    ++versions;
  }
  // Rather too many than too few: it is not counted how many lose by either of two.
  return versions > 1 ? crd.objects_losing_fields : losing;
}

std::string MutationLine(const PruningPlan& plan) {
  const PruningDryRun& dry_run = plan.dry_run;
  return "plan: " + plan.mutation + " changes " + std::to_string(dry_run.mutated) + " of " +
         kube::base::Count(dry_run.report.object_count, "object") +
         (plan.backup.empty() || dry_run.mutated == 0
              ? " before pruning"
              : " before pruning, which are backed up as they are now");
}

std::string LossLine(const PruningPlan& plan) {
  const report::CrdReport& crd = plan.dry_run.report;
  const std::uint64_t losing = ObjectsLosing(plan);
  std::string line = crd.name + ": ";
  if (losing == 0)
    return line + "none of " + kube::base::Count(crd.object_count, "object") +
           " would lose a field" + (plan.mutation.empty() ? "" : " behind the mutation");
  line += std::to_string(losing) + " of " + kube::base::Count(crd.object_count, "object") +
          " would lose ";
  line += kube::base::Count(FieldsLost(plan).size(), "field");
  if (!plan.mutation.empty()) return line + " behind the mutation";
  return line + " (" + report::OwnClusterCommand("check " + crd.name) + ")";
}

// Those that most objects lose come first.
std::string LostFieldsLine(const PruningPlan& plan) {
  constexpr std::size_t kMostFields = 10;
  std::vector<report::FieldUse> fields = FieldsLost(plan);
  std::ranges::stable_sort(fields, std::greater(), &report::FieldUse::objects);
  std::vector<std::string> parts;
  for (const report::FieldUse& use : fields) {
    if (parts.size() == kMostFields) break;
    parts.push_back(kube::meta::WithLeadingDot(use.path) + " from " +
                    kube::base::Count(use.objects, "object"));
    if (use.examples.empty()) continue;
    parts.back() += (use.objects == 1 ? " (" : " (e.g. ") + use.examples.front() + ")";
  }
  if (fields.size() > parts.size()) {
    parts.push_back("and " + kube::base::Count(fields.size() - parts.size(), "more field"));
  }
  return "plan: removes " + kube::base::Join(parts, ", ");
}

std::string WebhookText(const UpdateWebhooks& webhooks) {
  if (!webhooks.unknown_because.empty()) {
    return "it is not known which admission webhooks are called for updates: " +
           webhooks.unknown_because;
  }
  if (webhooks.names.empty()) return "no admission webhook is registered for these updates";
  std::vector<std::string> names = webhooks.names;
  if (names.size() > kMostNames) {
    const std::size_t more = names.size() - kMostNames;
    names.resize(kMostNames);
    names.push_back(std::to_string(more) + " more");
  }
  return kube::base::Count(webhooks.names.size(), "admission webhook") +
         (webhooks.names.size() == 1 ? " is" : " are") +
         " called for updates: " + kube::base::Join(names, ", ");
}

report::MigrationPasses PassesOf(const PruningPlan& plan) {
  return {.objects = plan.dry_run.sizes.objects,
          .bytes = plan.dry_run.sizes.bytes,
          .rewrites_before = plan.rewrites_before,
          .verifies = plan.verifies,
          .one_at_a_time = plan.pace.concurrency == 1,
          .max_rate = plan.pace.max_rate};
}

// From the write that turns pruning on, or the rewrite before it, to the proof.
std::string TimeText(const PruningPlan& plan) {
  const report::MigrationPasses passes = PassesOf(plan);
  return "about " + report::DurationText(report::SecondsOfWrites(passes, plan.cost) +
                                         report::SecondsOfTurningOn(passes, plan.cost));
}

std::string WritesLine(const PruningPlan& plan) {
  const report::CrdReport& crd = plan.dry_run.report;
  const std::uint64_t objects = crd.object_count;
  std::string line = "plan: ";
  if (plan.rewrites_before) {
    line += kube::base::Count(objects, "write") + " before pruning";
    if (plan.mutation.empty() || crd.stored_versions != std::vector{crd.storage_version}) {
      line += " (stored as " + kube::base::Join(crd.stored_versions, " and ") + ")";
    }
    line += ", " + std::to_string(objects) + " after";
  } else {
    line += kube::base::Count(objects, "write");
  }
  line += ", " + TimeText(plan);
  return line + "; " + WebhookText(plan.webhooks);
}

// Empty where there is nothing to tell.
std::string ManagedFieldsLine(const PruningPlan& plan) {
  const report::CrdReport& crd = plan.dry_run.report;
  const std::uint64_t objects = crd.managed_fields_to_clean.objects;
  if (objects == 0) return "";
  const std::string whose = "managedFields of " + kube::base::Count(objects, "object");
  return plan.keeps_managed_fields
             ? "plan: keep " + whose + ", which any other write would empty (" +
                   report::OwnClusterCommand("check " + crd.name) + ")"
             : "Warning: the writes empty " + whose + " (" +
                   report::OwnClusterCommand("check " + crd.name) + ")";
}

}  // namespace

double EstimateWrites(const PruningPlan& plan) {
  return report::SecondsOfWrites(PassesOf(plan), plan.cost);
}

std::string DescribeSize(std::uint64_t objects, std::uint64_t bytes) {
  return kube::base::Count(objects, "object") + ", " + Bytes(bytes);
}

PruningDryRun DryRunPruning(const check::LiveCrd& crd, const check::RewriteForecast& forecast,
                            const DryRunOptions& options, const kube::client::Session& session) {
  const std::size_t workers = cluster::WorkerCount();
  std::shared_ptr<DryRunTaker> taker;
  std::vector<cluster::ListJob> jobs = {
      {crd.ObjectsTarget(""), cluster::MakerOf(taker, crd.checks.at(0).get(), &forecast,
                                               options.mutation.get(), workers)}};
  cluster::ReadLists(jobs, session,
                     {.chunk_size = options.chunk_size,
                      .workers = workers,
                      .lists_at_once = 1,
                      .on_progress = options.on_progress});
  PruningDryRun result = taker->Result();
  result.write_version = crd.read_version;
  if (jobs[0].error) result.error = jobs[0].error->message;
  return result;
}

std::vector<std::string> DescribePlan(const PruningPlan& plan) {
  const std::string& name = plan.dry_run.report.name;
  std::vector<std::string> lines{LossLine(plan)};
  if (ObjectsLosing(plan) > 0) lines.push_back(LostFieldsLine(plan));
  if (!plan.mutation.empty()) lines.push_back(MutationLine(plan));
  lines.push_back(WritesLine(plan));
  if (!plan.crd_file.empty()) {
    lines.push_back("plan: " + name + " becomes what " + plan.crd_file +
                    " says, as by kubectl apply, in the same write that turns pruning on");
  }
  lines.push_back("plan: every write that changes what is stored is an event for all who watch " +
                  name);
  const std::string managed_fields = ManagedFieldsLine(plan);
  if (!managed_fields.empty() && plan.keeps_managed_fields) lines.push_back(managed_fields);
  if (!plan.backup.empty() && plan.dry_run.backup_objects > 0) {
    lines.push_back("plan: back up " +
                    DescribeSize(plan.dry_run.backup_objects, plan.dry_run.backup_bytes) + ", to " +
                    plan.backup);
  }
  for (const std::string& error : plan.dry_run.report.object_errors) {
    lines.push_back("Warning: the server will refuse an object: " + error);
  }
  if (!plan.dry_run.mutation_error.empty()) {
    lines.push_back("Warning: an object cannot be mutated, which keeps pruning off: " +
                    plan.dry_run.mutation_error);
  }
  const std::string& note = plan.dry_run.report.note;
  if (!note.empty()) lines.push_back("Warning: " + note);
  if (!managed_fields.empty() && !plan.keeps_managed_fields) lines.push_back(managed_fields);
  if (std::string line = InvalidLine(plan.dry_run); !line.empty()) lines.push_back(std::move(line));
  if (!plan.gitops_owner.empty()) {
    lines.push_back(
        "Warning: " + plan.gitops_owner + " manages " + name +
        " and may undo this or stop at it: pause it, and take spec.preserveUnknownFields: "
        "true out of the manifest that it keeps (one of v1beta1 has to say false)");
  }
  return lines;
}

report::ForetoldLoss ForetellLoss(const PruningPlan& plan) {
  return {.objects = plan.dry_run.report.object_count,
          .objects_losing_fields = ObjectsLosing(plan),
          .pruned_fields = FieldsLost(plan),
          .managed_fields = plan.dry_run.report.managed_fields_to_clean,
          .plan = DescribePlan(plan)};
}

}  // namespace migrate::migration
