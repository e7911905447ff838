#include "plugin/command/restore_command.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/meta/object_path.h"
#include "migrate/restore/restore.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/lease_thread.h"
#include "plugin/command/object_target.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/restore_page.h"
#include "plugin/report/restore_report_json.h"
#include "plugin/report/table.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using migrate::report::CrdRestore;
using migrate::report::DryRun;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreCounts;
using migrate::report::RestoredField;
using migrate::report::RestoredObject;
using migrate::report::RestoreFailure;
using migrate::report::RestoreReport;
using terminal::OutputFormat;

constexpr std::size_t kMostFailuresShown = 20, kMostObjectsShown = 40;
// A message of a webhook may be a page long.
constexpr std::size_t kMostMessageBytes = 400;

std::string CrdTypedName(const CrdRestore& crd) {
  return "customresourcedefinition.apiextensions.k8s.io/" + terminal::Printable(crd.name);
}

std::string RestoreLine(const CrdRestore& crd) {
  const std::string_view verb = crd.outcome == Outcome::kDone ? "restored" : "not wholly restored";
  const std::string read_back = migrate::report::ReadBackText(crd.verification);
  return CrdTypedName(crd) + " " + std::string(verb) + " (" +
         migrate::report::CountsText(crd.counts) + (read_back.empty() ? "" : "; " + read_back) +
         ")" + std::string(terminal::DryRunSuffix(crd.dry_run)) + "\n";
}

// What was refused has nothing to count.
bool HasObjects(const CrdRestore& crd) {
  const RestoreCounts& counts = crd.counts;
  return crd.outcome != Outcome::kError ||
         counts.Total() > counts[RestoreClass::kNotTried] + counts[RestoreClass::kNotChosen];
}

void AppendObjects(std::string& out, const CrdRestore& crd) {
  if (crd.objects.empty()) return;
  report::TextTable table({"NAMESPACE", "NAME", "CLASS", "FIELDS", "KEPT"});
  for (const RestoredObject& object : crd.objects) {
    table.AddRow({object.namespace_, object.name,
                  std::string(migrate::report::ClassName(object.restore_class)),
                  migrate::report::JoinPaths(object.restored, object.restored_count),
                  migrate::report::JoinPaths(object.kept, object.kept_count)});
  }
  table.AppendTo(out);
}

void AppendFields(std::string& out, const CrdRestore& crd) {
  if (crd.restored.empty()) return;
  report::TextTable table({"FIELD", "OBJECTS", "EXAMPLE"});
  for (const RestoredField& field : crd.restored) {
    table.AddRow(
        {kube::meta::WithLeadingDot(field.path), std::to_string(field.objects), field.example});
  }
  table.AppendTo(out);
}

// Of very many their fields say more.
bool ShowsObjects(const CrdRestore& crd, OutputFormat format) {
  return !crd.objects.empty() &&
         (format == OutputFormat::kWide || crd.objects.size() <= kMostObjectsShown);
}

std::string PrintForPeople(const RestoreReport& report, OutputFormat format) {
  std::string out;
  for (const CrdRestore& crd : report.crds) {
    if (!HasObjects(crd)) continue;
    ShowsObjects(crd, format) ? AppendObjects(out, crd) : AppendFields(out, crd);
    out += RestoreLine(crd);
  }
  return out;
}

std::string PrintRestoredNames(const RestoreReport& report) {
  std::string out;
  for (const CrdRestore& crd : report.crds) {
    if (crd.outcome == Outcome::kDone) out += CrdTypedName(crd) + "\n";
  }
  return out;
}

std::string PrintInFormat(const RestoreReport& report, OutputFormat format) {
  if (format == OutputFormat::kTable || format == OutputFormat::kWide)
    return PrintForPeople(report, format);
  if (format == OutputFormat::kName) return PrintRestoredNames(report);
  if (format != OutputFormat::kJson && format != OutputFormat::kYaml) return "";
  kube::json::Arena arena;
  return terminal::PrintValue(report::ToJson(report, arena), format);
}

std::string FailureText(const RestoreFailure& failure) {
  const std::string slash = failure.namespace_.empty() ? "" : "/";
  return "  " + terminal::Printable(failure.namespace_ + slash + failure.name) + ": " +
         std::string(migrate::report::ClassName(failure.restore_class)) + ": " +
         terminal::Printable(kube::base::utf8::Shortened(failure.message, kMostMessageBytes)) +
         "\n";
}

std::string PrintRestoreAdvice(const CrdRestore& crd) {
  std::string text;
  for (const std::string& advice : migrate::report::AdviceOf(crd)) text += "Next: " + advice + "\n";
  return text;
}

std::string PrintRestoreFailures(const CrdRestore& crd) {
  if (crd.failures.empty()) return "";
  const bool is_one = crd.failures.size() == 1;
  std::string text = terminal::Printable(crd.name) + ": " +
                     kube::base::Count(crd.failures.size(), "object") +
                     (crd.dry_run != DryRun::kNone ? " would not be"
                      : is_one                     ? " was not"
                                                   : " were not") +
                     " restored:\n";
  const std::size_t shown = std::min(crd.failures.size(), kMostFailuresShown);
  for (std::size_t i = 0; i < shown; ++i) text += FailureText(crd.failures[i]);
  if (shown < crd.failures.size()) {
    text += "  and " + std::to_string(crd.failures.size() - shown) +
            " more; -o json names all of them\n";
  }
  return text + PrintRestoreAdvice(crd);
}

std::string PrintKept(const CrdRestore& crd) {
  std::string text;
  for (const RestoredField& field : crd.kept) {
    text += "note: " + terminal::Printable(crd.name) + ": " +
            terminal::Printable(kube::meta::WithLeadingDot(field.path)) + " of " +
            kube::base::Count(field.objects, "object") +
            " stays as others have set or removed it since (" + terminal::Printable(field.example) +
            ")\n";
  }
  return text;
}

std::string PrintRestoreError(const CrdRestore& crd) {
  if (crd.outcome == Outcome::kInterrupted) {
    return terminal::Printable(crd.name) + ": interrupted; the same command goes on where it was\n";
  }
  if (crd.error.empty()) return "";
  return "error: " + terminal::Printable(crd.name) + ": " + terminal::PrintableLines(crd.error) +
         "\n";
}

std::string PrintWideNote(const CrdRestore& crd, OutputFormat format) {
  if (crd.objects.empty() || ShowsObjects(crd, format) || format == OutputFormat::kName) return "";
  return "note: -o wide lists each of the " + std::to_string(crd.objects.size()) + " objects of " +
         terminal::Printable(crd.name) + "\n";
}

// With several CRDs in a backup those that are not named have none that was chosen either.
bool NamesSome(const RestoreReport& report) {
  return std::ranges::any_of(report.crds, [](const CrdRestore& crd) {
    return crd.counts.Total() > crd.counts[RestoreClass::kNotChosen];
  });
}

// As migrate: a namespace that does not exist has no objects either.
std::string PrintNoneChosen(const CrdRestore& crd, const cli::RestoreOptions& options) {
  const bool is_none = crd.counts.Total() == crd.counts[RestoreClass::kNotChosen];
  if (crd.outcome != Outcome::kDone || !is_none) return "";
  const std::string& name = options.objects.namespace_;
  return terminal::Printable(crd.name) + ": no objects found" +
         (name.empty() ? "" : " in namespace " + terminal::Printable(name)) + "\n";
}

std::string PrintRestoreErrors(const RestoreReport& report, const cli::RestoreOptions& options) {
  const OutputFormat format = options.output;
  const bool is_for_people = format == OutputFormat::kTable || format == OutputFormat::kWide ||
                             format == OutputFormat::kName;
  std::string err;
  for (const CrdRestore& crd : report.crds) {
    if (is_for_people && HasObjects(crd)) {
      err += PrintWideNote(crd, format) + PrintKept(crd) + PrintRestoreFailures(crd);
    }
    if (is_for_people && !NamesSome(report)) err += PrintNoneChosen(crd, options);
    err += PrintRestoreError(crd);
  }
  return err;
}

int RestoreExitCode(const RestoreReport& report) {
  int code = 0;
  for (const CrdRestore& crd : report.crds) {
    if (crd.outcome == Outcome::kError) code = 2;
    if (crd.outcome == Outcome::kFailures) code = std::max(code, 1);
  }
  return code;
}

}  // namespace

RestoreOutput PrintRestore(const RestoreReport& report, const cli::RestoreOptions& options) {
  const std::string err = PrintRestoreErrors(report, options);
  const int code = RestoreExitCode(report);
  if (options.output != OutputFormat::kTemplate)
    return {.out = PrintInFormat(report, options.output), .err = err, .exit_code = code};
  kube::json::Arena arena;
  auto printed = report::PrintByTemplate(report::ToJson(report, arena), options.output_template);
  if (printed) return {.out = *std::move(printed), .err = err, .exit_code = code};
  // People are told what was done: it cannot be asked for again.
  return {.out = "",
          .err = PrintForPeople(report, options.output) + err +
                 "error: " + terminal::PrintableLines(printed.error()) + "\n",
          .exit_code = 2};
}

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

void RestoreCommand::SetArguments(std::vector<std::string> arguments) {
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
