#include "plugin/command/restore_command.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "kube/base/clock.h"
#include "migrate/restore/restore.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/lease_thread.h"
#include "plugin/command/object_target.h"
#include "plugin/command/restore_summary.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/print_page.h"
#include "plugin/report/restore_page.h"
#include "plugin/report/restore_report_json.h"
#include "plugin/report/template_output.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {
namespace {

migrate::restore::RestoreOptions MakeRestoreOptions(
    const cli::RestoreOptions& options, const std::vector<migrate::check::DiffTarget>& targets,
    const kube::meta::FieldChoice& fields) {
  migrate::restore::RestoreOptions result;
  result.backup = options.backup;
  result.pruned_by = options.pruned_by;
  result.targets = targets;
  result.namespace_ = options.objects.namespace_;
  result.label_selector = options.objects.selector;
  result.field_selector = options.objects.field_selector;
  result.chunk_size = options.objects.chunk_size;
  result.settings.compare = {.fields = fields, .overwrite = options.overwrite};
  result.settings.recreate = options.recreate;
  result.settings.dry_run = options.dry_run.strategy;
  result.concurrency = options.concurrency;
  result.max_rate = options.max_rate;
  result.verify = options.verify;
  result.names_objects = cli::NamesObjects(options);
  return result;
}

migrate::report::RestoreReport RestoreCluster(const cli::RestoreOptions& options,
                                              migrate::restore::RestoreOptions restore_options) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kWrite, clock, write_line);
  terminal::MigrationConsole console(progress, /*yes=*/true, {});
  std::optional<LeaseThread> leases;
  if (options.dry_run.strategy == migrate::report::DryRun::kNone) {
    restore_options.lease = leases.emplace(cluster, options.common, clock)
                                .Options(options.lease_namespace, options.lease_timeout);
  }
  auto report = migrate::restore::Restore(restore_options, {cluster.session(), console});
  WarnOfMissingNamespace(options.objects.namespace_, cluster, write_line);
  progress.Clear();
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

std::string PrintRestorePage(const migrate::report::RestoreReport& report,
                             terminal::OutputFormat format) {
  kube::json::Arena arena;
  return report::PrintPage(report::PageOf(report), report::ToJson(report, arena), format);
}

}  // namespace

void RestoreCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  cli::AddPatienceFlag(flag_set, raw);
  cli::AddObjectFlags(flag_set, options_.objects, raw);
  cli::AddReportFlags(flag_set, raw);
  flag_set.String("pruned-by", 0, options_.pruned_by);
  flag_set.Strings("fields", 0, options_.fields);
  flag_set.Bool("overwrite", 0, options_.overwrite);
  flag_set.Bool("recreate", 0, options_.recreate);
  flag_set.OptionalString("dry-run", raw_.dry_run, std::string(cli::kBareDryRun));
  flag_set.IntIfGiven("concurrency", options_.concurrency);
  flag_set.String("max-rate", 0, raw_.max_rate);
  flag_set.Bool("verify", 0, options_.verify);
  flag_set.String("lease-namespace", 0, options_.lease_namespace);
  flag_set.String("lease-timeout", 0, raw_.lease_timeout);
}

void RestoreCommand::TakeArguments(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    throw cli::UsageError("restore",
                          "name the backup whose objects are to get back what pruning took: the "
                          "file that migrate wrote (--backup-dir)");
  }
  options_.backup = std::move(arguments.front());
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    targets_.push_back(ParseObjectTarget("restore", arguments[i]));
  }
}

void RestoreCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) {
  options_.output = cli::ParseRestoreOutput(raw.output);
  if (options_.output == terminal::OutputFormat::kTemplate) {
    options_.output_template = cli::ParseTemplate("restore", raw.output, raw.allow_missing_keys);
  }
  cli::Finish("restore", options_.objects, options_.common.connection, flag_set, raw);
  RefuseSelectorsOfNamed("restore", targets_, options_.objects);
  cli::FinishRestoreOptions(options_, raw_);
  auto fields = kube::meta::FieldChoice::Parse(options_.fields);
  if (!fields) throw cli::UsageError("restore", "--fields: " + fields.error());
  fields_ = *std::move(fields);
}

int RestoreCommand::Run() {
  report::LoadTemplate(options_.output_template);
  if (!options_.dry_run.warning.empty())
    terminal::WriteStderr("Warning: " + options_.dry_run.warning + "\n");
  CatchStopSignals();
  const auto report = RestoreCluster(options_, MakeRestoreOptions(options_, targets_, fields_));
  RestoreOutput output = PrintRestore(report, options_);
  if (report::IsPageFormat(options_.output)) output.out = PrintRestorePage(report, options_.output);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

}  // namespace plugin::command
