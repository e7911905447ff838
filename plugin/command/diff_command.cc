#include <mutex>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/meta/names.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/diff_folders.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/stop_signal.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {

const std::string_view kDiffHelp =
    R"(Show what pruning changes in each object, as kubectl diff does

 Reads the objects of the named CRDs from a cluster, or from files. A diff program then compares
each object as it is now with what pruning and a rewrite would leave of it. Both are YAML: unknown
fields are removed, nulls dropped, and defaults added. Nothing is written to the cluster.

 Without a CRD and without -f the objects of all CRDs that still preserve unknown fields are
compared. Of other CRDs the API shows objects pruned already. CRDs in the files of -f are proposed:
the objects of the cluster are pruned by their schemas. With --local no server is contacted, and
objects come from the files too. Objects are read of all namespaces. A schema that is not
structural shows what it would remove. The API server prunes nothing by it until it is fixed.

 KUBECTL_EXTERNAL_DIFF environment variable can be used to select your own diff command. Users can
use external commands with params too, example: KUBECTL_EXTERNAL_DIFF="colordiff -N -u"

 By default, the "diff" command available in your path will be run with the "-u" (unified diff) and
"-N" (treat absent files as empty) options.

 With --backup it is compared with what kubectl prune restore would put back from that file.

Examples:
  # What would pruning change in the widgets?
  kubectl prune diff widgets

  # In one of them
  kubectl prune diff widgets.demo.example.com/frontend -n shop

  # In all custom resources of the cluster, in colour
  KUBECTL_EXTERNAL_DIFF="diff -u --color=always" kubectl prune diff

  # By the schema of another version than the storage version
  kubectl prune diff widgets --version v1beta1

  # What would an upgrade of the CRDs change in the objects of the cluster?
  kubectl prune diff -f crds.yaml

  # What would mutation trees, and pruning behind them, change?
  kubectl prune diff widgets --mutation move-mode.yaml

  # What would be put back from a backup?
  kubectl prune diff --backup kubectl-prune-backup/widgets.ndjson

  # Compare objects that were saved before, without a cluster
  kubectl prune diff --local -f crds.yaml -f widgets.json

Options:
{flags}
Exit codes:
  0     no differences were found
  1     differences were found
  >1    kubectl prune or diff failed with an error; what could be compared is shown all the same

Usage:
  kubectl prune diff [CRD[/NAME]...] [-f FILENAME...] [options]
  kubectl prune diff [CRD[/NAME]...] --backup FILENAME [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

void DeclareFlags(cli::FlagSet& flags, DiffOptions& options) {
  migrate::check::DiffOptions& diff = options.diff;
  flags.Arguments([&flags, &diff](const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
      diff.targets.push_back(cli::ParseObjectTarget(flags, argument));
    }
  });
  cli::AddObjectFlags(flags, options.common, diff.objects);
  cli::AddCrdSelectorFlag(flags, diff.crd_selector);
  flags.Check([&flags, &options] {
    cli::RefuseSelectorsOfNamed(flags, options.diff.targets, options.diff.objects);
    cli::RefuseIfLocal(flags, options.local, options.diff.objects, options.diff.crd_selector);
  });
  cli::AddInputFlags(flags, diff.filenames, diff.recursive, options.local);
  flags.String("version", diff.preview.version, R"(
        Prune by the schema of this version, and show objects in it. Empty: the storage version.)");
  flags.Array("mutation", options.mutations, cli::CandidateSource::kFiles, R"(
        File with mutation trees, as kubectl prune migrate --mutation applies them before pruning;
        - is stdin. May be given several times.)");
  flags.String("backup", options.backup, cli::CandidateSource::kFiles, R"(
        Show what kubectl prune restore would change in the objects by this backup.)");
  flags.Bool("show-managed-fields", diff.preview.show_managed_fields, R"(
        If true, include managed fields in the diff.)");
  flags.Check([&flags, &options] {
    cli::RequireFiles(flags, options.diff.filenames, options.local);
    const bool proposes = !options.diff.filenames.empty() || options.local ||
                          !options.diff.preview.version.empty() ||
                          !options.diff.crd_selector.empty() || !options.mutations.empty();
    flags.RefuseBoth(!options.backup.empty(), "--backup", proposes,
                     "-f, --local, --version, --crd-selector or --mutation");
  });
}

namespace {

using migrate::check::DiffReport;

constexpr int kError = 2;

/// Hands objects of files on until a signal comes.
class LocalTaker : public migrate::check::ChangeTaker {
 public:
  explicit LocalTaker(DiffFolders& folders) : folders_(folders) {}

  void Take(const migrate::check::ObjectChange& change) override {
    // Until there is something to clean up a signal may end the program as ever, even where it
    // waits for its stdin.
    std::call_once(once_, CatchStopSignals);
    if (StopFlag()) throw kube::base::Error("interrupted: not all objects were read");
    folders_.Take(change);
  }

 private:
  std::once_flag once_;
  DiffFolders& folders_;
};

// Of objects that are gone there is nothing to compare.
DiffReport ReportOf(const migrate::report::RestoreReport& restore) {
  DiffReport report;
  for (const migrate::report::CrdRestore& crd : restore.crds) {
    report.objects += crd.counts.Total() - crd.counts[migrate::report::RestoreClass::kNotTried];
    if (!crd.error.empty()) report.errors.push_back(crd.name + ": " + crd.error);
    for (const migrate::report::RestoreFailure& failure : crd.failures) {
      report.notes.push_back(kube::meta::NamespacedName(failure.namespace_, failure.name) +
                             " would not be restored: " + failure.message);
    }
    report.is_stopped |= crd.outcome == migrate::report::Outcome::kInterrupted;
  }
  return report;
}

// Of a cluster, or by its objects of what a backup would bring back.
DiffReport DiffLive(DiffOptions& options, DiffFolders& folders) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  migrate::check::DiffOptions& diff = options.diff;
  if (!options.backup.empty()) {
    terminal::MigrationConsole console(progress, /*yes=*/true, {});
    CatchStopSignals();
    migrate::restore::RestoreOptions restore{
        .backup = options.backup, .targets = diff.targets, .objects = diff.objects};
    restore.settings.dry_run = migrate::report::DryRun::kClient;
    restore.settings.changes = &folders;
    return ReportOf(migrate::restore::Restore(restore, {cluster.session(), console}));
  }
  diff.preview.mutation = migrate::check::ReadMutations(options.mutations);
  diff.on_files_read = CatchStopSignals;
  diff.on_progress = [&progress](const auto& what, const auto& counts) {
    progress.Show(what, counts);
  };
  DiffReport report = migrate::check::DiffCluster(diff, cluster.session(), folders);
  WarnOfMissingNamespace(diff.objects.namespace_, cluster, write_line);
  return report;
}

DiffReport Compare(DiffOptions& options, DiffFolders& folders) {
  if (!options.local) return DiffLive(options, folders);
  options.diff.preview.mutation = migrate::check::ReadMutations(options.mutations);
  LocalTaker taker(folders);
  return migrate::check::DiffFiles(options.diff, taker);
}

void PrintDiffTroubles(const DiffReport& report) {
  for (const std::string& note : report.notes) terminal::WriteLine("note", note);
  for (const std::string& error : report.errors)
    terminal::WriteStderr(terminal::ErrorText(terminal::Printable(error)) + "\n");
}

}  // namespace

int RunCommand(DiffOptions& options) {
  if (!options.local) LeadCommandsTo(options.common.connection);
  DiffFolders folders;
  const DiffReport report = Compare(options, folders);
  if (report.is_stopped) return EndInterrupted();
  const bool is_nothing_compared = report.objects == 0 && !report.errors.empty();
  const int code = is_nothing_compared ? kError : CompareFolders(folders.live(), folders.merged());
  PrintDiffTroubles(report);
  if (const int stopped = StopExitCode()) return stopped;
  return report.errors.empty() ? code : kError;
}

}  // namespace plugin::command
