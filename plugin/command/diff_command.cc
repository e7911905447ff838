#include "plugin/command/diff_command.h"

#include <mutex>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "migrate/restore/restore.h"
#include "plugin/cli/finish_options.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/diff_folders.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/object_target.h"
#include "plugin/command/stop_signal.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using migrate::check::DiffReport;

constexpr std::string_view kInterrupted = "interrupted: not all objects were read";
constexpr int kError = 2;

migrate::check::PreviewOptions Preview(const DiffOptions& options) {
  return {.version = options.version,
          .show_managed_fields = options.show_managed_fields,
          .mutation = migrate::check::ReadMutations(options.mutations)};
}

/// Hands objects of files on until a signal comes.
class LocalTaker : public migrate::check::ChangeTaker {
 public:
  explicit LocalTaker(DiffFolders& folders) : folders_(folders) {}

  void Take(const migrate::check::ObjectChange& change) override {
    // Until there is something to clean up a signal may end the program as ever, even where it
    // waits for its stdin.
    std::call_once(once_, CatchStopSignals);
    if (StopFlag()) throw kube::base::Error(std::string(kInterrupted));
    folders_.Take(change);
  }

 private:
  std::once_flag once_;
  DiffFolders& folders_;
};

DiffReport DiffLocal(const DiffOptions& options, DiffFolders& folders) {
  LocalTaker taker(folders);
  return migrate::check::DiffFiles({.targets = options.targets,
                                    .preview = Preview(options),
                                    .filenames = options.input.filenames,
                                    .recursive = options.input.recursive},
                                   taker);
}

migrate::check::ClusterDiffOptions DiffClusterOptions(const DiffOptions& options) {
  return {.targets = options.targets,
          .preview = Preview(options),
          .crd_selector = options.crd_selector,
          .filenames = options.input.filenames,
          .recursive = options.input.recursive,
          .namespace_ = options.objects.namespace_,
          .label_selector = options.objects.selector,
          .field_selector = options.objects.field_selector,
          .chunk_size = options.objects.chunk_size,
          .on_files_read = CatchStopSignals};
}

DiffReport DiffLive(const DiffOptions& options, DiffFolders& folders) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  migrate::check::ClusterDiffOptions cluster_options = DiffClusterOptions(options);
  cluster_options.on_progress = [&progress](const auto& what, const auto& counts) {
    progress.Show(what, counts);
  };
  DiffReport report = migrate::check::DiffCluster(cluster_options, cluster.session(), folders);
  WarnOfMissingNamespace(options.objects.namespace_, cluster, write_line);
  return report;
}

std::string DiffNameOf(const migrate::report::RestoreFailure& failure) {
  return (failure.namespace_.empty() ? "" : failure.namespace_ + "/") + failure.name;
}

// Of objects that are gone there is nothing to compare.
DiffReport ReportOf(const migrate::report::RestoreReport& restore) {
  DiffReport report;
  for (const migrate::report::CrdRestore& crd : restore.crds) {
    report.objects += crd.counts.Total() - crd.counts[migrate::report::RestoreClass::kNotTried];
    if (!crd.error.empty()) report.errors.push_back(crd.name + ": " + crd.error);
    for (const migrate::report::RestoreFailure& failure : crd.failures) {
      report.notes.push_back(DiffNameOf(failure) + " would not be restored: " + failure.message);
    }
    report.is_stopped |= crd.outcome == migrate::report::Outcome::kInterrupted;
  }
  return report;
}

DiffReport DiffBackup(const DiffOptions& options, DiffFolders& folders) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  terminal::MigrationConsole console(progress, /*yes=*/true, {});
  CatchStopSignals();
  migrate::restore::RestoreOptions restore;
  restore.backup = options.backup;
  restore.targets = options.targets;
  restore.namespace_ = options.objects.namespace_;
  restore.label_selector = options.objects.selector;
  restore.field_selector = options.objects.field_selector;
  restore.chunk_size = options.objects.chunk_size;
  restore.settings.dry_run = migrate::report::DryRun::kClient;
  restore.settings.changes = &folders;
  return ReportOf(migrate::restore::Restore(restore, {cluster.session(), console}));
}

DiffReport Compare(const DiffOptions& options, DiffFolders& folders) {
  if (!options.backup.empty()) return DiffBackup(options, folders);
  return options.input.local ? DiffLocal(options, folders) : DiffLive(options, folders);
}

void PrintDiffTroubles(const DiffReport& report) {
  for (const std::string& note : report.notes)
    terminal::WriteStderr("note: " + terminal::Printable(note) + "\n");
  for (const std::string& error : report.errors)
    terminal::WriteStderr(terminal::ErrorText(terminal::Printable(error)) + "\n");
}

}  // namespace

void DiffCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  cli::AddInputFlags(flag_set, options_.input);
  cli::AddPatienceFlag(flag_set, raw);
  cli::AddObjectFlags(flag_set, options_.objects, raw);
  flag_set.String("crd-selector", 0, options_.crd_selector);
  flag_set.String("version", 0, options_.version);
  flag_set.Array("mutation", 0, options_.mutations);
  flag_set.String("backup", 0, options_.backup);
  flag_set.Bool("show-managed-fields", 0, options_.show_managed_fields);
}

void DiffCommand::SetArguments(std::vector<std::string> arguments) {
  for (const std::string& argument : arguments) {
    options_.targets.push_back(ParseObjectTarget("diff", argument));
  }
}

void DiffCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) {
  cli::Finish("diff", options_.objects, options_.common.connection, flag_set, raw);
  cli::ValidateLabelSelector("diff", "--crd-selector", options_.crd_selector);
  RefuseSelectorsOfNamed("diff", options_.targets, options_.objects);
  cli::RefuseIfLocal("diff", options_.input, options_.objects, options_.crd_selector);
  cli::RequireFiles("diff", options_.input, flag_set);
  const bool proposes = !options_.input.filenames.empty() || options_.input.local ||
                        !options_.version.empty() || !options_.crd_selector.empty() ||
                        !options_.mutations.empty();
  cli::RefuseBoth("diff", !options_.backup.empty(), "--backup", proposes,
                  "-f, --local, --version, --crd-selector or --mutation");
}

int DiffCommand::Run() {
  DiffFolders folders;
  const DiffReport report = Compare(options_, folders);
  if (report.is_stopped) {
    terminal::WriteStderr(terminal::ErrorText(std::string(kInterrupted)) + "\n");
    return StopExitCode();
  }
  const bool is_nothing_compared = report.objects == 0 && !report.errors.empty();
  const int code = is_nothing_compared ? kError : CompareFolders(folders.live(), folders.merged());
  PrintDiffTroubles(report);
  if (const int stopped = StopExitCode()) return stopped;
  return report.errors.empty() ? code : kError;
}

}  // namespace plugin::command
