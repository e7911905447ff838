#include "plugin/command/restore_command.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "kube/system/clock.h"
#include "migrate/restore/restore.h"
#include "plugin/access/cluster_access.h"
#include "plugin/access/lease_thread.h"
#include "plugin/access/run_facts.h"
#include "plugin/access/stop_signal.h"
#include "plugin/command/object_target.h"
#include "plugin/flags/finish_options.h"
#include "plugin/flags/output_format.h"
#include "plugin/flags/usage_error.h"
#include "plugin/report/data/restore_report_json.h"
#include "plugin/report/data/template_output.h"
#include "plugin/report/format/print_page.h"
#include "plugin/report/page/restore_page.h"
#include "plugin/report/text/restore_summary.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {
namespace {

migrate::restore::RestoreOptions MakeRestoreOptions(
    const flags::RestoreOptions& options, const std::vector<migrate::inspect::DiffTarget>& targets,
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
  result.names_objects = flags::NamesObjects(options);
  return result;
}

migrate::report::RestoreReport RestoreCluster(const flags::RestoreOptions& options,
                                              migrate::restore::RestoreOptions restore_options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  access::ClusterAccess cluster(options.common, access::ClusterAccess::Right::kWrite, clock,
                                write_line);
  terminal::MigrationConsole console(progress, /*yes=*/true, {});
  std::optional<access::LeaseThread> leases;
  if (options.dry_run.strategy == migrate::report::DryRun::kNone) {
    restore_options.lease = leases.emplace(cluster, options.common, clock)
                                .Options(options.lease_namespace, options.lease_timeout);
  }
  auto report = migrate::restore::Restore(restore_options, {cluster.session(), console});
  access::WarnOfMissingNamespace(options.objects.namespace_, cluster, write_line);
  progress.Clear();
  report.run = cluster.FactsAt(access::TimeOfDay());
  return report;
}

std::string PrintPage(const migrate::report::RestoreReport& report, flags::OutputFormat format) {
  kube::json::Arena arena;
  return report::format::PrintPage(report::page::PageOf(report),
                                   report::data::ToJson(report, arena), format);
}

}  // namespace

void RestoreCommand::AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) {
  flags::AddPatienceFlag(flag_set, raw);
  flags::AddObjectFlags(flag_set, options_.objects, raw);
  flags::AddReportFlags(flag_set, raw);
  flag_set.String("pruned-by", 0, options_.pruned_by);
  flag_set.Strings("fields", 0, options_.fields);
  flag_set.Bool("overwrite", 0, options_.overwrite);
  flag_set.Bool("recreate", 0, options_.recreate);
  flag_set.OptionalString("dry-run", raw_.dry_run, std::string(flags::kBareDryRun));
  flag_set.IntIfGiven("concurrency", options_.concurrency);
  flag_set.String("max-rate", 0, raw_.max_rate);
  flag_set.Bool("verify", 0, options_.verify);
  flag_set.String("lease-namespace", 0, options_.lease_namespace);
  flag_set.String("lease-timeout", 0, raw_.lease_timeout);
}

void RestoreCommand::TakeArguments(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    throw flags::UsageError("restore",
                            "name the backup whose objects are to get back what pruning took: the "
                            "file that migrate wrote (--backup-dir)");
  }
  options_.backup = std::move(arguments.front());
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    targets_.push_back(ParseObjectTarget("restore", arguments[i]));
  }
}

void RestoreCommand::Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) {
  options_.output = flags::ParseRestoreOutput(raw.output);
  if (options_.output == flags::OutputFormat::kTemplate) {
    options_.output_template = flags::ParseTemplate("restore", raw.output, raw.allow_missing_keys);
  }
  flags::Finish("restore", options_.objects, options_.common.connection, flag_set, raw);
  RefuseSelectorsOfNamed("restore", targets_, options_.objects);
  flags::FinishRestoreOptions(options_, raw_);
  auto fields = kube::meta::FieldChoice::Parse(options_.fields);
  if (!fields) throw flags::UsageError("restore", "--fields: " + fields.error());
  fields_ = *std::move(fields);
}

int RestoreCommand::Run() {
  report::data::LoadTemplate(options_.output_template);
  if (!options_.dry_run.warning.empty())
    terminal::WriteStderr("Warning: " + options_.dry_run.warning + "\n");
  access::CatchStopSignals();
  const auto report = RestoreCluster(options_, MakeRestoreOptions(options_, targets_, fields_));
  report::text::RestoreOutput output = report::text::PrintRestore(report, options_);
  if (report::format::IsPageFormat(options_.output))
    output.out = PrintPage(report, options_.output);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = access::StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

}  // namespace plugin::command
