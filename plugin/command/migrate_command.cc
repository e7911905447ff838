#include "plugin/command/migrate_command.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/error.h"
#include "kube/go/go_format.h"
#include "kube/system/clock.h"
#include "kube/system/file_text.h"
#include "migrate/migration/migration.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/local_rewrite_command.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/data/migration_report_json.h"
#include "plugin/report/data/template_output.h"
#include "plugin/report/text/migration_summary.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {
namespace {

using migrate::migration::MigrationOptions;
using migrate::report::MigrationReport;

// Of metadata some ten megabytes for the server's watch cache at once: less than a controller asks
// for that watches as many objects.
constexpr std::uint64_t kMostInOnePiece = 10'000;

std::vector<migrate::sweep::RetriedObject> ReadRetried(const std::string& path) {
  const auto text = kube::system::ReadFileText(path);
  if (!text) throw kube::base::Error(text.error().message);
  auto objects = report::data::ReadFailedObjects(*text);
  if (objects) return *std::move(objects);
  throw kube::base::Error("cannot read the report " + kube::go::GoQuote(path) + ": " +
                          objects.error());
}

migrate::flip::EnablePruningOptions EnablingOptions(const flags::MigrateOptions& options) {
  migrate::flip::EnablePruningOptions enabling;
  enabling.single_pass = options.single_pass;
  enabling.no_backup = options.no_backup;
  enabling.rewrite_unbacked = options.rewrite_unbacked;
  if (!options.backup_dir.empty()) enabling.backup_dir = options.backup_dir;
  enabling.settle_timeout = options.settle_timeout;
  enabling.dry_run = options.dry_run;
  return enabling;
}

// A dry run leaves no state. With --all what earlier runs have left tells which CRDs count.
std::filesystem::path StateDirOf(const flags::MigrateOptions& options) {
  const bool is_needed = options.dry_run == migrate::report::DryRun::kNone || options.all;
  if (!options.state_dir.empty() || !is_needed) return options.state_dir;
  return migrate::state::DefaultStateDir();
}

MigrationOptions ClusterOptions(const flags::MigrateOptions& options) {
  MigrationOptions result;
  result.crd_names = options.input.crds;
  result.all = options.all;
  result.crd_selector = options.crd_selector;
  result.enable_pruning = options.enable_pruning;
  result.enabling = EnablingOptions(options);
  result.dry_run = options.dry_run;
  result.namespace_ = options.objects.namespace_;
  result.label_selector = options.objects.selector;
  result.field_selector = options.objects.field_selector;
  result.chunk_size = options.objects.chunk_size;
  if (!options.objects.chunk_size_is_given) result.most_in_one_piece = kMostInOnePiece;
  result.concurrency = static_cast<std::size_t>(options.concurrency);
  result.max_rate = options.max_rate;
  result.verify = options.verify;
  result.keep_stored_versions = options.keep_stored_versions;
  result.state_dir = StateDirOf(options);
  if (!options.retry_from.empty()) result.retried = ReadRetried(options.retry_from);
  CatchStopSignals();
  result.stop = &StopFlag();
  return result;
}

MigrationReport MigrateCluster(const flags::MigrateOptions& options,
                               const MigrationOptions& migration_options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  ClusterAccess cluster(options.common, ClusterAccess::Right::kWrite, clock,
                        [&progress](const std::string& line) { progress.WriteLine(line); });
  terminal::MigrationConsole console(progress, options.yes, terminal::AnswersFromTerminal());
  MigrationReport report =
      migrate::migration::Migrate(migration_options, console, cluster.client(), clock);
  progress.Clear();
  return report;
}

// An empty list of names would mean all.
bool HasNothingToRetry(const MigrationOptions& options) {
  return options.retried && options.retried->empty();
}

}  // namespace

int RunMigrate(flags::MigrateOptions options) {
  report::data::LoadTemplate(options.output_template);
  if (options.input.local) return RunLocalRewrite(options);
  if (!options.dry_run_warning.empty())
    terminal::WriteStderr("Warning: " + options.dry_run_warning + "\n");
  const MigrationOptions migration_options = ClusterOptions(options);
  MigrationReport report;
  if (!HasNothingToRetry(migration_options)) report = MigrateCluster(options, migration_options);
  const report::text::MigrationOutput output = report::text::PrintMigration(report, options);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  if (report.crds.empty() && stopped == 0) terminal::WriteStderr("Nothing to migrate\n");
  return stopped == 0 ? output.exit_code : stopped;
}

}  // namespace plugin::command
