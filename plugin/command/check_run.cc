#include "plugin/command/check_run.h"

#include "kube/base/clock.h"
#include "migrate/check/cluster_check.h"
#include "migrate/check/file_check.h"
#include "migrate/rewrite/migration_state.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/upgrade_plan.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {
namespace {

using migrate::report::CheckReport;

migrate::check::ClusterCheckOptions ClusterOptions(const CheckOptions& options,
                                                   const CheckSurroundings& surroundings) {
  return {.crd_names = options.input.crds,
          .ignored_crds = options.ignore,
          .crd_selector = options.crd_selector,
          .filenames = options.input.filenames,
          .recursive = options.input.recursive,
          .namespace_ = options.objects.namespace_,
          .label_selector = options.objects.selector,
          .field_selector = options.objects.field_selector,
          .chunk_size = options.objects.chunk_size,
          .workers = surroundings.workers,
          .skip_objects = options.skip_objects,
          .all_objects = options.all_objects,
          .show_objects = options.show_objects,
          .opened = options.opened,
          .state_dir = options.state_dir.empty() ? migrate::rewrite::FindStateDir()
                                                 : std::filesystem::path(options.state_dir),
          .on_files_read = surroundings.on_files_read,
          .on_progress = surroundings.on_progress,
          .on_schemas = surroundings.on_schemas};
}

migrate::check::FileCheckOptions FileOptions(const CheckOptions& options) {
  return {.filenames = options.input.filenames,
          .recursive = options.input.recursive,
          .crd_names = options.input.crds,
          .ignored_crds = options.ignore,
          .skip_objects = options.skip_objects,
          .show_objects = options.show_objects,
          .opened = options.opened,
          .release = options.server_release};
}

}  // namespace

CheckReport CheckCluster(const CheckOptions& options, const CheckSurroundings& surroundings) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        surroundings.write_line);
  CheckReport report =
      migrate::check::CheckCluster(ClusterOptions(options, surroundings), cluster.session());
  report.steps =
      report::FindUpgradePlan(report, {.filenames = options.input.filenames,
                                       .recursive = options.input.recursive,
                                       .connection = ConnectionWords(options.common.connection)});
  WarnOfMissingNamespace(options.objects.namespace_, cluster, surroundings.write_line);
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

CheckReport CheckLive(const CheckOptions& options) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  return CheckCluster(
      options,
      {.write_line = [&](const std::string& line) { progress.WriteLine(line); },
       .on_progress = [&](const auto& what, const auto& counts) { progress.Show(what, counts); },
       .on_files_read = CatchStopSignals});
}

CheckReport CheckLocal(const CheckOptions& options) {
  CheckReport report = migrate::check::CheckFiles(FileOptions(options));
  report.run = LocalFactsAt(TimeOfDay());
  return report;
}

}  // namespace plugin::command
