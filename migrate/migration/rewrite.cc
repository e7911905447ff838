#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/cluster/object_count.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/migration/cluster_engine.h"
#include "migrate/migration/pruning_plan.h"
#include "migrate/migration/steps.h"
#include "migrate/report/program_name.h"
#include "migrate/rewrite/retried_objects.h"

namespace migrate::migration {
namespace {

constexpr std::size_t kMostPaths = 5;
// Enough to tell by, and few beside the migration itself.
constexpr std::int64_t kSome = 100;

std::string PathsText(const std::vector<report::FieldUse>& fields) {
  std::string text;
  for (std::size_t i = 0; i < std::min(fields.size(), kMostPaths); ++i) {
    text.append(i == 0 ? "" : ", ").append(kube::meta::WithLeadingDot(fields[i].path));
  }
  return fields.size() > kMostPaths ? text + ", ..." : text;
}

// How to keep what reads in other versions show; empty if they show none of them.
std::string KeepText(const report::CrdReport& report) {
  std::vector<std::string> commands;
  for (const std::string& version : report.VersionsThatShow()) {
    commands.push_back("kubectl get " + report.ResourceIn(version) + " -A -o json" +
                       report::ClusterFlags());
  }
  if (commands.empty()) return "";
  std::vector<report::FieldUse> shown = report.maybe_in_etcd;
  std::erase_if(shown, [](const report::FieldUse& field) { return field.shown_in.empty(); });
  return "; keep the output of " + kube::base::Join(commands, " and ") + " first, which may show " +
         PathsText(shown);
}

std::string Describe(const report::CrdReport& report) {
  const std::vector<report::FieldUse>& fields = report.maybe_in_etcd;
  if (fields.empty()) return "";
  const std::string keep = KeepText(report);
  return report.name +
         (keep.empty() ? ": pruning is on already, so no backup can be made. Unless every object "
                         "was rewritten since, etcd still holds fields that no read shows"
                       : ": pruning is on already, so no backup is made. Unless every object was "
                         "rewritten since, etcd still holds fields that reads in " +
                             report.storage_version + " do not show") +
         ", and a rewrite removes them: " + PathsText(fields) + " (" +
         report::OwnClusterCommand("check " + report.name) + ")" + keep;
}

// Of a CRD that prunes already: a line on the fields that etcd may still hold though no read shows
// them, as managedFields tell, which a rewrite removes; empty if there are none. Of fields that
// reads in another version may show it says how to keep them; the others nobody can back up. Reads
// all objects. The error says why they could not be read, also where the session is stopped.
kube::base::Result<std::string, std::string> DescribeHiddenFields(
    const check::LiveCrd& crd, const DryRunOptions& options, const kube::client::Session& session) {
  const check::RewriteForecast forecast(*crd.checks.at(0), crd.read_version, /*in_one_pass=*/false);
  const PruningDryRun dry_run = DryRunPruning(crd, forecast, options, session);
  if (!dry_run.error.empty()) return kube::base::Unexpected(dry_run.error);
  return Describe(dry_run.report);
}

// The same of the first objects of the list at `target` alone, for a run that would not read all
// objects whole. Empty also where they cannot be read, which the run will find out itself.
std::string DescribeHiddenFieldsOfSome(const check::LiveCrd& crd, const std::string& target,
                                       kube::client::Client& client) {
  const auto list = client.Get(cluster::WithChunk(target, kSome, ""));
  if (!list) return "";
  const check::CrdCheck& check = *crd.checks.at(0);
  check::CrdTally tally;
  std::uint64_t number = 0;
  for (const kube::json::Value& item : (*list)->root().At("items").elements()) {
    check.CheckObject({item, {0, number++, 0}, ""}, tally);
  }
  return Describe(check.Report(tally));
}

// Why the run must not go on; empty: it may, or the session was stopped.
std::string ConfirmHiddenLoss(const check::LiveCrd& crd, const MigrationOptions& options,
                              const rewrite::MigrationSession& session) {
  const std::string& name = crd.identity.name;
  const auto hidden = DescribeHiddenFields(
      crd,
      {.chunk_size = options.objects.chunk_size,
       .on_progress = rewrite::ProgressOf("reading " + name, session.observer)},
      session);
  if (session.is_stopped()) return "";
  if (!hidden) return hidden.error();
  if (hidden->empty()) return "";
  session.observer.OnLine("Warning: " + *hidden);
  const bool is_accepted =
      options.dry_run != report::DryRun::kNone ||
      session.observer.Confirm("Rewrite the objects of " + name + " without a backup?");
  return is_accepted ? "" : "nothing was rewritten, as that was not confirmed";
}

migration::EngineSituation SituationOf(const CrdRun& run, const PreparedCrd& prepared) {
  const report::CrdMigration& report = run.report;
  EngineSituation situation = EngineSituationOf(run.options);
  situation.turns_pruning_on =
      run.turns_pruning_on() || report.pruning_enabled || run.state->is_pruning_on();
  situation.holds_objects = prepared.sweep_options.is_held != nullptr;
  situation.is_storage_version_served = report.written_version.empty();
  situation.is_begun = run.state->goes_on();
  situation.has_old_versions =
      report.stored_before != std::vector<std::string>{report.storage_version};
  situation.is_abandoned = run.context.is_engine_absent;
  return situation;
}

bool IsForCluster(const report::CrdMigration& report) {
  return report.engine && report.engine->end == report::EngineEnd::kForeseen;
}

// Nothing is told of it where the server has none.
bool ChooseEngine(CrdRun& run, const PreparedCrd& prepared) {
  const Preflight& preflight = prepared.preflight;
  if (preflight.engine_version.empty()) return true;
  run.engine.emplace(EngineQuestion{.options = run.options,
                                    .preflight = preflight,
                                    .situation = SituationOf(run, prepared),
                                    .resource = MigratedOf(run.crd, preflight.version),
                                    .crd_target = run.crd.target(),
                                    .list_target = ListTarget(prepared, run.options),
                                    .known = prepared.scope.target.known()},
                     run.session());
  run.report.engine = run.engine->Choose();
  if (!run.GoOn()) return false;
  if (IsForCluster(run.report) || run.options.engine != report::Engine::kInCluster) return true;
  return run.Fail("the cluster's own engine cannot have its objects: " + run.report.engine->reason +
                  "; leave --engine=in-cluster out");
}

bool HandleEngineEnd(CrdRun& run, PreparedCrd& prepared) {
  const report::EngineFacts& facts = *run.report.engine;
  switch (facts.end) {
    case report::EngineEnd::kSucceeded:
      prepared.scope.claimed_by = "the cluster's own engine";
      return true;
    case report::EngineEnd::kInterrupted:
      run.report.outcome = report::Outcome::kInterrupted;
      if (!facts.migration.empty()) {
        run.report.error = "interrupted; the cluster goes on with " + facts.migration +
                           " by itself (kubectl delete " + facts.migration +
                           report::ClusterFlags() + " ends it)";
      }
      return false;
    case report::EngineEnd::kCrdChanged:
      return run.Fail(WithNextStep(facts.reason, run.name()));
    default:
      break;
  }
  if (facts.end == report::EngineEnd::kIgnored) run.context.is_engine_absent = true;
  run.Line("Warning: " + run.name() + ": the cluster's own engine has not rewritten the objects: " +
           facts.reason + "; they are rewritten from here");
  return true;
}

// Where the cluster's own engine does it, what is left for us is to verify that.
bool LetClusterRewrite(CrdRun& run, PreparedCrd& prepared) {
  if (!ChooseEngine(run, prepared)) return false;
  if (!IsForCluster(run.report)) {
    const bool is_whole_run = !IsPartial(run.options) && !run.is_dry_run();
    if (prepared.preflight.has_own_migration && is_whole_run) run.engine->RemoveLeft();
    return true;
  }
  run.state->NoteEngine(run.engine->name());
  run.report.engine = run.engine->Run([&run] { return run.CheckCrdUnchanged(); });
  return HandleEngineEnd(run, prepared);
}

// The null pointer: the run has ended. `backup_dir` is empty where objects are not kept.
std::unique_ptr<rewrite::MutationPass> ForetellMutation(CrdRun& run, const PreparedCrd& prepared,
                                                        const std::filesystem::path& backup_dir) {
  const MigrationOptions& options = run.options;
  rewrite::MutationPassOptions how{
      .crd_name = run.name(),
      .list = ListTarget(prepared, options),
      .are_named = options.retried.has_value(),
      .backup_dir = backup_dir,
      .now = std::chrono::floor<std::chrono::seconds>(options.pruning.now()),
      .chunk_size = options.objects.chunk_size};
  if (!run.crd.live().preserve_unknown_fields) {
    const std::string& version = prepared.preflight.version;
    how.pruned_by = {prepared.live.checks.at(0)->server().FindSchema(version), version};
  }
  auto pass =
      std::make_unique<rewrite::MutationPass>(std::move(how), options.mutation, run.session());
  const auto error = pass->Prepare();
  run.report.mutation = pass->facts();
  if (!run.GoOn()) return nullptr;
  if (error) {
    run.Fail(*error);
    return nullptr;
  }
  pass->ReportChanges();
  pass->ReportBackup();
  return pass;
}

// Where pruning was turned on objects were mutated before: behind it they lack what it takes.
bool PrepareMutation(CrdRun& run, PreparedCrd& prepared, Rewritten& rewritten) {
  const MigrationOptions& options = run.options;
  if (!options.mutation) return true;
  if (prepared.is_mutated) {
    if (!run.report.mutation) {
      run.Line(run.name() +
               ": objects were mutated before pruning was turned on, by an earlier run");
    }
    return true;
  }
  if (run.report.mutation) {  // foretold with the write that turns pruning on
    prepared.scope.target.mutation = options.mutation;
    return true;
  }
  const bool keeps = !run.is_dry_run() && !options.pruning.no_backup;
  rewritten.mutation =
      ForetellMutation(run, prepared, keeps ? options.pruning.backup_dir : std::filesystem::path());
  if (rewritten.mutation == nullptr) return false;
  rewritten.mutation->Join(prepared.scope.target);
  return true;
}

// Of the objects' list; 0 where it cannot be told.
std::uint64_t FindResourceVersion(const CrdRun& run, const PreparedCrd& prepared) {
  const auto list =
      run.session().client.Get(cluster::WithChunk(prepared.live.ObjectsTarget(""), 1, ""));
  if (!list) return 0;
  return cluster::NumberOf(cluster::ReadPageMetadata((*list)->root()).resource_version);
}

// Those of some objects alone are not read for it, so that nothing is known of their entries.
// Where pruning is to be turned on the plan has counted what is to be cleaned.
kube::base::Result<cluster::EntryCount, kube::client::CallError> CountAll(
    CrdRun& run, const PreparedCrd& prepared) {
  const MigrationOptions& options = run.options;
  report::CrdMigration& report = run.report;
  if (options.retried) {
    report.managed_fields_cleaned.reset();
    return cluster::EntryCount{rewrite::RetriedOf(run.name(), *options.retried).size()};
  }
  const cluster::ListReaderOptions how{.chunk_size = options.objects.chunk_size};
  const std::string list = ListTarget(prepared, options);
  const auto& cleaner = prepared.scope.target.cleaner;
  const bool is_foretold = report.foretold_loss && options.cleaning == cluster::Cleaning::kAuto;
  if (cleaner && !is_foretold) return cluster::CountToClean(list, *cleaner, how, run.session());
  const auto count = cluster::CountObjects(list, how, run.session());
  if (!count) return kube::base::Unexpected(count.error());
  cluster::EntryCount counted{*count};
  if (cleaner) counted.to_clean = report.foretold_loss->managed_fields;
  return counted;
}

}  // namespace

std::string ListTarget(const PreparedCrd& prepared, const MigrationOptions& options) {
  return cluster::WithSelectors(prepared.live.ObjectsTarget(options.objects.namespace_),
                                options.objects);
}

bool AcceptHiddenLoss(CrdRun& run, const PreparedCrd& prepared) {
  const MigrationOptions& options = run.options;
  if (options.enable_pruning) {
    const std::string refusal = ConfirmHiddenLoss(prepared.live, options, run.session());
    return refusal.empty() ? run.GoOn() : run.Fail(refusal);
  }
  if (options.retried) return run.GoOn();
  const std::string hidden = DescribeHiddenFieldsOfSome(
      prepared.live, ListTarget(prepared, options), run.session().client);
  if (!hidden.empty()) run.Line("Warning: " + hidden);
  return run.GoOn();
}

std::optional<Rewritten> Rewrite(CrdRun& run, PreparedCrd& prepared) {
  const MigrationOptions& options = run.options;
  if (options.retried) {
    prepared.scope.named = rewrite::RetriedOf(run.name(), *options.retried);
    if (!prepared.sweep_options.is_held && !options.pruning.rewrite_unbacked) {
      rewrite::HoldAsReported(run.name(), *options.retried, prepared.sweep_options);
    }
  }
  Rewritten rewritten;
  if (!PrepareMutation(run, prepared, rewritten) || !LetClusterRewrite(run, prepared)) {
    return std::nullopt;
  }
  const bool may_prove = options.verify && !run.crd.live().preserve_unknown_fields &&
                         !IsPartial(options) && !run.is_dry_run();
  if (may_prove) rewritten.pruned_since = FindResourceVersion(run, prepared);
  rewritten.folder = run.state->MakeSweepFolder();
  rewritten.result = rewrite::RewriteObjects(prepared.scope, prepared.sweep_options,
                                             rewritten.folder, run.session());
  return rewritten;
}

void ForetellRewrite(CrdRun& run, PreparedCrd& prepared) {
  report::CrdMigration& report = run.report;
  std::uint64_t refused = 0;
  if (run.options.mutation && !run.turns_pruning_on()) {
    const auto mutation = ForetellMutation(run, prepared, {});
    if (mutation == nullptr) return;
    refused = mutation->refused();
  }
  const auto count = CountAll(run, prepared);
  if (!run.GoOn()) return;
  if (!count) {
    run.Fail(count.error().message);
    return;
  }
  report.counts[report::ObjectClass::kNotTried] = count->objects;
  report.AddCleaned(count->to_clean);
  if (refused > 0) report.outcome = report::Outcome::kFailures;
  if (!ChooseEngine(run, prepared)) return;
  if (IsForCluster(report)) {
    run.Line(run.name() +
             ": the cluster's own engine would rewrite the objects, and this program would verify "
             "that");
  }
  report.kept_because = WhyVersionsKept(report, run.options, "", prepared.preflight.kept_because);
}

}  // namespace migrate::migration
