#include "plugin/command/migrate_command.h"

#include <cstdint>
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
#include "migrate/cluster/manifest_crd.h"
#include "migrate/migration/migration.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/fleet_flags.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/write_flags.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/fleet_migration.h"
#include "plugin/command/fleet_migration_output.h"
#include "plugin/command/lease_thread.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/migration_summary.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/migration_page.h"
#include "plugin/report/migration_report_json.h"
#include "plugin/report/report_forms.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using kube::json::Value;
using migrate::check::FileRewriteReport;

// As kubectl prints objects.
Value WithoutManagedFields(const Value& object, kube::json::Arena& arena) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr || metadata->Find("managedFields") == nullptr) return object;
  Value copy = kube::json::DeepCopy(object, arena);
  copy.Find("metadata")->Erase("managedFields");
  return copy;
}

void PrintTroubles(const FileRewriteReport& report) {
  for (const std::string& crd : report.preserving) {
    terminal::WriteStderr(
        "note: " + terminal::Printable(crd) +
        " preserves unknown fields, so nothing is pruned; see what pruning leaves with "
        "--enable-pruning\n");
  }
  for (const std::string& crd : report.ambiguous) {
    terminal::WriteStderr("Warning: " + terminal::Printable(crd) +
                          " was given more than once; the last one counts\n");
  }
  for (const std::string& error : report.object_errors) {
    terminal::WriteStderr("error: left out " + terminal::Printable(error) + "\n");
  }
  for (const migrate::report::UnknownKind& unknown : report.unknown_kinds) {
    terminal::WriteStderr("note: " + std::to_string(unknown.objects) + " of kind " +
                          terminal::Printable(unknown.kind) + " (" +
                          terminal::Printable(unknown.api_version) +
                          ") left out: no CustomResourceDefinition for it is given\n");
  }
  for (const std::string& hint : report.file_hints) {
    terminal::WriteStderr("Warning: " + terminal::Printable(hint) + "\n");
  }
  for (const std::string& error : report.file_errors) {
    terminal::WriteStderr("error: " + terminal::Printable(error) + "\n");
  }
  if (!report.has_crds && report.file_errors.empty()) {
    terminal::WriteStderr("error: " + std::string(migrate::cluster::kNoCrdsFound) + "\n");
  }
}

int LocalExitCode(const FileRewriteReport& report) {
  if (!report.file_errors.empty() || !report.has_crds) return 2;
  return report.object_errors.empty() ? 0 : 1;
}

}  // namespace

int RunLocalRewrite(const cli::MigrateOptions& options) {
  ManifestWriter writer(options.output);
  const FileRewriteReport report = migrate::check::RewriteFiles(
      {.filenames = options.input.filenames,
       .recursive = options.input.recursive,
       .crd_names = options.input.crds,
       .enable_pruning = options.enable_pruning,
       .mutation = migrate::check::ReadMutations(options.mutations)},
      [&](const Value& object) {
        kube::json::Arena arena;
        writer.Write(options.show_managed_fields ? object : WithoutManagedFields(object, arena));
      });
  writer.Finish();
  PrintTroubles(report);
  return LocalExitCode(report);
}

namespace {

using migrate::migration::MigrationOptions;
using migrate::report::MigrationReport;

// Of metadata some ten megabytes for the server's watch cache at once: less than a controller asks
// for that watches as many objects.
constexpr std::uint64_t kMostInOnePiece = 10'000;

std::vector<migrate::rewrite::RetriedObject> ReadRetried(const std::string& path) {
  const auto text = kube::base::ReadFileText(path);
  if (!text) throw kube::base::Error(text.error().message);
  auto objects = report::ReadFailedObjects(*text);
  if (objects) return *std::move(objects);
  throw kube::base::Error("cannot read the report " + kube::go::GoQuote(path) + ": " +
                          objects.error());
}

migrate::migration::PruningOptions PruningOptionsOf(const cli::MigrateOptions& options) {
  migrate::migration::PruningOptions pruning;
  pruning.single_pass = options.single_pass;
  pruning.no_backup = options.no_backup;
  pruning.rewrite_unbacked = options.rewrite_unbacked;
  if (!options.backup_dir.empty()) pruning.backup_dir = options.backup_dir;
  pruning.settle_timeout = options.settle_timeout;
  return pruning;
}

// A dry run leaves no state, but knows what earlier runs have left. With --all that tells which
// CRDs count.
std::filesystem::path StateDirOf(const cli::MigrateOptions& options) {
  if (!options.state_dir.empty()) return options.state_dir;
  const bool is_needed =
      options.dry_run == migrate::report::DryRun::kNone || options.all || options.retry_failed;
  return is_needed ? migrate::rewrite::DefaultStateDir() : migrate::rewrite::FindStateDir();
}

MigrationOptions MigrateClusterOptions(const cli::MigrateOptions& options) {
  MigrationOptions result;
  result.crd_names = options.input.crds;
  result.all = options.all;
  result.crd_selector = options.crd_selector;
  result.enable_pruning = options.enable_pruning;
  result.mutation = migrate::check::ReadMutations(options.mutations);
  result.filenames = options.input.filenames;
  result.recursive = options.input.recursive;
  result.pruning = PruningOptionsOf(options);
  result.dry_run = options.dry_run;
  result.namespace_ = options.objects.namespace_;
  result.label_selector = options.objects.selector;
  result.field_selector = options.objects.field_selector;
  result.chunk_size = options.objects.chunk_size;
  if (!options.objects.chunk_size_is_given) result.most_in_one_piece = kMostInOnePiece;
  result.concurrency = options.concurrency;
  result.max_rate = options.max_rate;
  result.verify = options.verify;
  result.engine = options.engine;
  result.engine_timeout = options.engine_timeout;
  result.keep_stored_versions = options.keep_stored_versions;
  result.cleaning = options.cleaning;
  result.state_dir = StateDirOf(options);
  result.record = options.record;
  result.as = ImpersonationWords(options.common.connection);
  result.retry_failed = options.retry_failed;
  if (!options.retry_from.empty()) result.retried = ReadRetried(options.retry_from);
  CatchStopSignals();
  return result;
}

MigrationReport MigrateCluster(const cli::MigrateOptions& options,
                               MigrationOptions migration_options) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kWrite, clock, write_line);
  terminal::MigrationConsole console(progress, options.yes, terminal::AnswersFromTerminal());
  std::optional<LeaseThread> leases;
  if (options.dry_run == migrate::report::DryRun::kNone) {
    migration_options.lease = leases.emplace(cluster, options.common, clock)
                                  .Options(options.lease_namespace, options.lease_timeout);
  }
  MigrationReport report =
      migrate::migration::Migrate(migration_options, {cluster.session(), console});
  WarnOfMissingNamespace(options.objects.namespace_, cluster, write_line);
  progress.Clear();
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

std::string PrintPage(const MigrationReport& report, terminal::OutputFormat format) {
  kube::json::Arena arena;
  return report::PrintPage(report::PageOf(report), report::ToJson(report, arena), format);
}

int RunFleet(const cli::MigrateOptions& options, const MigrationOptions& migration_options) {
  const MigrationOutput output =
      PrintFleetMigration(MigrateFleet(options, migration_options), options);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

// An empty list of names would mean all.
bool HasNothingToRetry(const MigrationOptions& options) {
  return options.retried && options.retried->empty();
}

}  // namespace

void MigrateCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  cli::AddInputFlags(flag_set, options_.input);
  cli::AddPatienceFlag(flag_set, raw);
  cli::AddObjectFlags(flag_set, options_.objects, raw);
  flag_set.Array("mutation", 0, options_.mutations);
  flag_set.Bool("enable-pruning", 0, options_.enable_pruning);
  flag_set.Bool("yes", 'y', options_.yes);
  flag_set.Bool("single-pass", 0, options_.single_pass);
  flag_set.String("backup-dir", 0, options_.backup_dir);
  flag_set.Bool("no-backup", 0, options_.no_backup);
  flag_set.Bool("rewrite-unbacked", 0, options_.rewrite_unbacked);
  flag_set.String("settle-timeout", 0, raw_.settle_timeout);
  cli::AddReportFlags(flag_set, raw);
  flag_set.Bool("show-managed-fields", 0, options_.show_managed_fields);
  flag_set.Bool("all", 0, options_.all);
  flag_set.String("crd-selector", 0, options_.crd_selector);
  flag_set.OptionalString("dry-run", raw_.dry_run, std::string(cli::kBareDryRun));
  flag_set.IntIfGiven("concurrency", options_.concurrency);
  flag_set.Int("connections", 0, options_.common.connection.connections);
  flag_set.String("max-rate", 0, raw_.max_rate);
  flag_set.Bool("verify", 0, options_.verify);
  flag_set.String("engine", 0, raw_.engine);
  flag_set.String("engine-timeout", 0, raw_.engine_timeout);
  flag_set.Bool("keep-stored-versions", 0, options_.keep_stored_versions);
  flag_set.OptionalString("clean-managed-fields", raw_.clean_managed_fields, "always");
  flag_set.String("state-dir", 0, options_.state_dir);
  flag_set.String("retry-from", 0, options_.retry_from);
  flag_set.Bool("retry-failed", 0, options_.retry_failed);
  flag_set.Bool("record", 0, options_.record);
  cli::AddFleetFlags(flag_set, options_.fleet);
  flag_set.String("lease-namespace", 0, options_.lease_namespace);
  flag_set.String("lease-timeout", 0, raw_.lease_timeout);
}

void MigrateCommand::SetArguments(std::vector<std::string> arguments) {
  options_.input.crds = std::move(arguments);
}

void MigrateCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) {
  options_.output = cli::ParseMigrateOutput(raw.output, options_.input.local);
  if (options_.output == terminal::OutputFormat::kTemplate) {
    options_.output_template = cli::ParseTemplate("migrate", raw.output, raw.allow_missing_keys);
  }
  cli::RequireFiles("migrate", options_.input, flag_set);
  cli::Finish("migrate", options_.objects, options_.common.connection, flag_set, raw);
  cli::ValidateLabelSelector("migrate", "--crd-selector", options_.crd_selector);
  cli::FinishMigrateOptions(options_, raw_);
  cli::FinishFleet("migrate", options_.fleet, options_.common.connection, flag_set);
  if (!options_.fleet.contexts.empty()) cli::RequireMigrationOfMany(options_);
}

int MigrateCommand::Run() {
  report::LoadTemplate(options_.output_template);
  if (options_.input.local) return RunLocalRewrite(options_);
  if (!options_.dry_run_warning.empty())
    terminal::WriteStderr("Warning: " + options_.dry_run_warning + "\n");
  const MigrationOptions migration_options = MigrateClusterOptions(options_);
  if (!options_.fleet.contexts.empty()) return RunFleet(options_, migration_options);
  MigrationReport report;
  report.run = LocalFactsAt(TimeOfDay());
  if (!HasNothingToRetry(migration_options)) report = MigrateCluster(options_, migration_options);
  MigrationOutput output = PrintMigration(report, options_);
  if (report::IsPageFormat(options_.output)) output.out = PrintPage(report, options_.output);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  if (report.crds.empty() && stopped == 0) terminal::WriteStderr("Nothing to migrate\n");
  return stopped == 0 ? output.exit_code : stopped;
}

}  // namespace plugin::command
