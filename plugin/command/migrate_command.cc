#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/go/go_format.h"
#include "kube/json/json.h"
#include "migrate/check/file_rewrite.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/proposals.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/fleet_migration.h"
#include "plugin/command/lease_thread.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/migration_summary.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/migration_report_json.h"
#include "plugin/report/pages.h"
#include "plugin/report/report_forms.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {
namespace {

using kube::json::Value;
using migrate::check::FileRewriteReport;

void PrintTroubles(const FileRewriteReport& report) {
  for (const std::string& crd : report.preserving) {
    terminal::WriteLine("note", crd +
                                    " preserves unknown fields, so nothing is pruned; see what "
                                    "pruning leaves with --enable-pruning");
  }
  for (const std::string& crd : report.ambiguous) {
    terminal::WriteLine("Warning", crd + " was given more than once; the last one counts");
  }
  for (const std::string& error : report.object_errors) {
    terminal::WriteLine("error", "left out " + error);
  }
  for (const migrate::report::UnknownKind& unknown : report.unknown_kinds) {
    terminal::WriteLine("note", std::to_string(unknown.objects) + " of kind " + unknown.kind +
                                    " (" + unknown.api_version +
                                    ") left out: no CustomResourceDefinition for it is given");
  }
  for (const std::string& hint : report.file_hints) terminal::WriteLine("Warning", hint);
  for (const std::string& error : report.file_errors) terminal::WriteLine("error", error);
  if (!report.has_crds && report.file_errors.empty()) {
    terminal::WriteLine("error", migrate::cluster::kNoCrdsFound);
  }
}

int LocalExitCode(const FileRewriteReport& report) {
  if (!report.file_errors.empty() || !report.has_crds) return 2;
  return report.object_errors.empty() ? 0 : 1;
}

int RunLocalRewrite(const MigrateOptions& options) {
  ManifestWriter writer(options.output);
  const FileRewriteReport report = migrate::check::RewriteFiles(
      {.filenames = options.migration.filenames,
       .recursive = options.migration.recursive,
       .crd_names = options.migration.crd_names,
       .enable_pruning = options.migration.enable_pruning,
       .mutation = migrate::check::ReadMutations(options.mutations)},
      [&](const Value& object) {
        kube::json::Arena arena;
        writer.Write(options.show_managed_fields
                         ? object
                         : migrate::cluster::WithoutManagedFields(object, arena));
      });
  writer.Finish();
  PrintTroubles(report);
  return LocalExitCode(report);
}

using migrate::migration::MigrationOptions;
using migrate::report::DryRun;
using migrate::report::MigrationReport;

std::vector<migrate::rewrite::RetriedObject> ReadRetried(const std::string& path) {
  const auto text = kube::base::ReadFileText(path);
  if (!text) throw kube::base::Error(text.error().message);
  auto objects = report::ReadFailedObjects(*text);
  if (objects) return *std::move(objects);
  throw kube::base::Error("cannot read the report " + kube::go::GoQuote(path) + ": " +
                          objects.error());
}

// A dry run leaves no state, but knows what earlier runs have left. With --all that tells which
// CRDs count.
std::filesystem::path StateDirOf(const MigrationOptions& options) {
  if (!options.state_dir.empty()) return options.state_dir;
  const bool is_needed = options.dry_run == DryRun::kNone || options.all || options.retry_failed;
  return is_needed ? migrate::rewrite::DefaultStateDir() : migrate::rewrite::FindStateDir();
}

// What was asked for, with what its files say, and where nothing is said.
MigrationOptions Completed(const MigrateOptions& options) {
  MigrationOptions result = options.migration;
  result.mutation = migrate::check::ReadMutations(options.mutations);
  result.state_dir = StateDirOf(result);
  if (!options.retry_from.empty()) result.retried = ReadRetried(options.retry_from);
  CatchStopSignals();
  return result;
}

MigrationReport MigrateCluster(const MigrateOptions& options, MigrationOptions& migration) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kWrite, clock, write_line);
  terminal::MigrationConsole console(progress, options.yes, terminal::AnswersFromTerminal());
  std::optional<LeaseThread> leases;
  if (migration.dry_run == DryRun::kNone) {
    leases.emplace(cluster, options.common, clock).Serve(migration.lease);
  }
  MigrationReport report = migrate::migration::Migrate(migration, {cluster.session(), console});
  cluster.TellWarnings();
  WarnOfMissingNamespace(migration.objects.namespace_, cluster, write_line);
  progress.Clear();
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

// An empty list of names would mean all.
bool HasNothingToRetry(const MigrationOptions& options) {
  return options.retried && options.retried->empty();
}

}  // namespace

int RunCommand(MigrateOptions& options) {
  report::LoadTemplate(options.output_template);
  if (options.local) return RunLocalRewrite(options);
  if (!options.dry_run_warning.empty()) terminal::WriteLine("Warning", options.dry_run_warning);
  LeadCommandsTo(options.common.connection);
  MigrationOptions migration = Completed(options);
  if (!options.fleet.contexts.empty()) {
    return EndRun(PrintFleetMigration(MigrateFleet(options, migration), options));
  }
  MigrationReport report;
  report.run = LocalFactsAt(TimeOfDay());
  if (!HasNothingToRetry(migration)) report = MigrateCluster(options, migration);
  const int code = EndRun(PrintMigration(report, options));
  if (report.crds.empty() && StopExitCode() == 0) terminal::WriteStderr("Nothing to migrate\n");
  return code;
}

}  // namespace plugin::command
