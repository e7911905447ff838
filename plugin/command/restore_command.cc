#include "plugin/command/restore_command.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/lease_thread.h"
#include "plugin/command/migration_summary.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/migration_report_json.h"
#include "plugin/report/pages.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/table.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {

const std::string_view kRestoreHelp =
    R"(Put back what pruning took from the objects of a backup

 Reads the backup that kubectl prune migrate --enable-pruning wrote, and each of its objects as it
is now. Puts back what pruning took from an object and what is still missing. Nothing else changes.
What others have set, changed or removed since stays so. Where somebody has set an object anew,
what it had then comes back beside what it has now. An object that somebody has emptied stays
empty.

 The CustomResourceDefinition beside the backup (.crd.json) tells which fields pruning took.
Without it, everything comes back that an object had then and lacks now.

 The schema has to specify the fields by now. Where the API server would prune them again nothing
is written, and they are named. An object gets one merge patch, for the resource version that was
read alone. The status subresource, where there is one, gets another.

 Elements of lists belong together by their place where the rest of the list is as it was.
Elsewhere they do by x-kubernetes-list-map-keys. Where neither tells, the object is left alone, and
is told to be in conflict. Afterwards what was put back is read once more.

 Run again, the command goes on with what is missing. That includes what somebody removed on
purpose once it was back: nothing tells that from what pruning took.

Examples:
  # What would be put back?
  kubectl prune restore kubectl-prune-backup/widgets.ndjson --dry-run=client

  # Put it back
  kubectl prune restore kubectl-prune-backup/widgets.ndjson

  # Only one object
  kubectl prune restore kubectl-prune-backup/widgets.ndjson widgets/frontend -n shop

  # Only one field, also where somebody has set it anew since
  kubectl prune restore kubectl-prune-backup/widgets.ndjson --fields .spec.legacyMode --overwrite

  # Make anew what was deleted since, too
  kubectl prune restore kubectl-prune-backup/widgets.ndjson --recreate

  # A backup without its CustomResourceDefinition beside it
  kubectl prune restore widgets.json --pruned-by crds.yaml

Options:
{flags}
Exit codes:
  0     every object that was chosen has back what was taken from it, but for what others have set
        or removed since
  1     some object has not: it was deleted, is in conflict, could not be written, or lacked it
        again when it was read back
  2     an error: a wrong flag, a backup that cannot be read, a missing right, a server that does
        not answer. Or the schema would prune the fields again, or the CustomResourceDefinition was
        changed meanwhile
  130   interrupted by SIGINT (143: SIGTERM); run the same command again to resume

Usage:
  kubectl prune restore BACKUP [CRD[/NAME]...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

namespace {

void AddFieldsFlag(cli::FlagSet& flags, migrate::restore::RestoreSettings& settings) {
  const auto read = [&flags, &settings](const std::vector<std::string>& paths) {
    if (settings.recreate && !paths.empty()) {
      flags.Refuse(
          "--fields and --recreate cannot be specified together: what is made anew is made whole");
    }
    auto fields = kube::meta::FieldChoice::Parse(paths);
    if (!fields) flags.Refuse("--fields: " + fields.error());
    settings.compare.fields = *std::move(fields);
  };
  flags.List("fields", cli::FlagKind::kStrings, read, R"(
        Put back only these fields and what is below them, written as the tables show them: e.g.
        --fields .spec.legacyMode,.spec.ports[*].proto
        Of a list that is missing as a whole no part comes back alone. Not with --recreate.)");
}

void TakeArguments(const cli::FlagSet& flags, const std::vector<std::string>& arguments,
                   migrate::restore::RestoreOptions& restore) {
  if (arguments.empty()) {
    flags.Refuse(
        "name the backup whose objects are to get back what pruning took: the file that migrate "
        "wrote (--backup-dir)");
  }
  restore.backup = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    restore.targets.push_back(cli::ParseObjectTarget(flags, arguments[i]));
  }
}

}  // namespace

void DeclareFlags(cli::FlagSet& flags, RestoreOptions& options) {
  migrate::restore::RestoreOptions& restore = options.restore;
  flags.Arguments([&flags, &restore](const std::vector<std::string>& arguments) {
    TakeArguments(flags, arguments, restore);
  });
  cli::AddReportFlags(
      flags, options.output, options.output_template,
      [] { return std::span(cli::kRestoreOutputs); }, R"(
        Output format. One of: (html, json, jsonpath, jsonpath-as-json, jsonpath-file, junit,
        markdown, name, wide, yaml); wide names every object and its fields.)");
  cli::AddObjectFlags(flags, options.common, restore.objects,
                      {.verb = "Restore", .how = " as they are now", .chunks = R"(
        With -l or --field-selector: read large lists of objects in chunks of this size; 0 reads
        them all at once.)"});
  flags.Check(
      [&flags, &restore] { cli::RefuseSelectorsOfNamed(flags, restore.targets, restore.objects); });
  cli::AddDryRunFlag(flags, restore.settings.dry_run, options.dry_run_warning, R"(
        Must be "none", "server", or "client". With client nothing is written: what would be put
        back is told, object by object. With server every write is sent and none is stored.)");
  cli::AddMaxRateFlag(flags, restore.pace.max_rate, R"(
        The most objects a second; 0 is no limit.)");
  cli::AddLeaseFlags(flags, restore.lease);
  cli::AddConcurrencyFlag(flags, restore.pace.concurrency, R"(
        Keep this many objects in flight, and fewer only after the server says that it has
        too much to do. By default restore searches: it starts with one, adds more while the
        throughput grows, and stops at 16.)");
  flags.Bool("overwrite", restore.settings.compare.overwrite, R"(
        Put back also what pruning took and somebody has set anew since. Needs the
        CustomResourceDefinition that pruned the objects (--pruned-by).)");
  flags.Bool("recreate", restore.settings.recreate, R"(
        Make anew the objects that were deleted since the backup, whole. They get another uid. An
        object is not made where the schema would prune any field of it.)");
  flags.String("pruned-by", restore.pruned_by, cli::CandidateSource::kFiles, R"(
        A file with the CustomResourceDefinition that pruned the objects. Empty: that beside the
        backup, whose name ends in .crd.json in the place of .ndjson, if it is there.)");
  flags.Bool("verify", restore.verify, R"(
        Read back what was put back.)");
  AddFieldsFlag(flags, restore.settings);
  flags.Check([&options] {
    // What one object after the other is told of.
    options.restore.names_objects =
        options.output == terminal::OutputFormat::kWide ||
        options.restore.settings.dry_run == migrate::report::DryRun::kClient;
  });
}
namespace {

using migrate::report::CrdRestore;
using migrate::report::DryRun;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreCounts;
using migrate::report::RestoredField;
using migrate::report::RestoreReport;
using terminal::OutputFormat;

constexpr std::size_t kMostObjectsShown = 40;

std::string RestoreLine(const CrdRestore& crd) {
  const std::string_view verb = crd.outcome == Outcome::kDone ? "restored" : "not wholly restored";
  const std::string read_back = migrate::report::ReadBackText(crd.verification);
  return report::TypedName(crd.name) + " " + std::string(verb) + " (" +
         migrate::report::CountsText(crd.counts) + (read_back.empty() ? "" : "; " + read_back) +
         ")" + std::string(terminal::DryRunSuffix(crd.dry_run)) + "\n";
}

// What was refused has nothing to count.
bool HasObjects(const CrdRestore& crd) {
  const RestoreCounts& counts = crd.counts;
  return crd.outcome != Outcome::kError ||
         counts.Total() > counts[RestoreClass::kNotTried] + counts[RestoreClass::kNotChosen];
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
    const report::Table table = ShowsObjects(crd, format)
                                    ? report::RestoredObjectsTable(crd)
                                    : report::RestoredFieldsTable("", crd.restored);
    if (!table.rows.empty()) report::AppendTable(out, table, table.rows.size(), "");
    out += RestoreLine(crd);
  }
  return out;
}

std::string PrintRestoreAdvice(const CrdRestore& crd) {
  std::string text;
  for (const std::string& advice : migrate::report::AdviceOf(crd)) text += "Next: " + advice + "\n";
  return text;
}

std::string PrintRestoreFailures(const CrdRestore& crd) {
  if (crd.failures.empty()) return "";
  std::string text = FailuresTitle(crd, "restored");
  const std::size_t shown = std::min(crd.failures.size(), kFailuresShown);
  for (std::size_t i = 0; i < shown; ++i) {
    text += FailureLine(crd.failures[i], crd.failures[i].restore_class);
  }
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

std::string PrintRestoreErrors(const RestoreReport& report, const RestoreOptions& options) {
  const OutputFormat format = options.output;
  const bool is_for_people = format == OutputFormat::kTable || format == OutputFormat::kWide ||
                             format == OutputFormat::kName;
  std::string err;
  for (const CrdRestore& crd : report.crds) {
    if (is_for_people && HasObjects(crd)) {
      err += PrintWideNote(crd, format) + PrintKept(crd) + PrintRestoreFailures(crd);
    }
    if (is_for_people && !NamesSome(report))
      err += NoneFound(crd.name, crd.outcome, options.restore.objects.namespace_);
    const bool is_stopped = crd.outcome == Outcome::kInterrupted;
    err += ErrorLine(crd.name, crd.outcome, is_stopped ? "" : crd.error, /*begins_anew=*/false);
  }
  return err;
}

}  // namespace

report::Output PrintRestore(const RestoreReport& report, const RestoreOptions& options) {
  const report::ReportForms forms = {
      .json = [&](kube::json::Arena& arena) { return report::ToJson(report, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return NamesOfDone(report); },
      .table = [&] { return PrintForPeople(report, options.output); }};
  return report::PrintDone(forms, options.output, options.output_template,
                           PrintRestoreErrors(report, options), ExitCodeOf(report));
}

namespace {

migrate::report::RestoreReport RestoreCluster(RestoreOptions& options) {
  LeadCommandsTo(options.common.connection);
  migrate::restore::RestoreOptions& restore = options.restore;
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kWrite, clock, write_line);
  terminal::MigrationConsole console(progress, /*yes=*/true, {});
  std::optional<LeaseThread> leases;
  if (restore.settings.dry_run == migrate::report::DryRun::kNone) {
    leases.emplace(cluster, options.common, clock).Serve(restore.lease);
  }
  auto report = migrate::restore::Restore(restore, {cluster.session(), console});
  cluster.TellWarnings();
  WarnOfMissingNamespace(restore.objects.namespace_, cluster, write_line);
  progress.Clear();
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

}  // namespace

int RunCommand(RestoreOptions& options) {
  report::LoadTemplate(options.output_template);
  if (!options.dry_run_warning.empty()) terminal::WriteLine("Warning", options.dry_run_warning);
  CatchStopSignals();
  return EndRun(PrintRestore(RestoreCluster(options), options));
}

}  // namespace plugin::command
