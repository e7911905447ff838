#include "plugin/check/check_run.h"

#include "kube/system/clock.h"
#include "migrate/inspect/cluster_check.h"
#include "migrate/inspect/file_check.h"
#include "migrate/state/migration_state.h"
#include "plugin/access/cluster_access.h"
#include "plugin/access/connection_words.h"
#include "plugin/access/run_facts.h"
#include "plugin/access/stop_signal.h"
#include "plugin/report/data/upgrade_way.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::check {
namespace {

using migrate::report::CheckReport;

migrate::inspect::ClusterCheckOptions ClusterOptions(const CheckOptions& options,
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
          .state_dir = options.state_dir.empty() ? migrate::state::FindStateDir()
                                                 : std::filesystem::path(options.state_dir),
          .on_files_read = surroundings.on_files_read,
          .on_progress = surroundings.on_progress,
          .on_schemas = surroundings.on_schemas};
}

migrate::inspect::FileCheckOptions FileOptions(const CheckOptions& options) {
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
  const kube::system::SystemClock clock;
  access::ClusterAccess cluster(options.common, access::ClusterAccess::Right::kRead, clock,
                                surroundings.write_line);
  CheckReport report =
      migrate::inspect::CheckCluster(ClusterOptions(options, surroundings), cluster.session());
  report.steps = report::data::FindUpgradeWay(
      report, {.filenames = options.input.filenames,
               .recursive = options.input.recursive,
               .connection = access::ConnectionWords(options.common.connection)});
  access::WarnOfMissingNamespace(options.objects.namespace_, cluster, surroundings.write_line);
  report.run = cluster.FactsAt(access::TimeOfDay());
  return report;
}

CheckReport CheckLive(const CheckOptions& options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  return CheckCluster(
      options,
      {.write_line = [&](const std::string& line) { progress.WriteLine(line); },
       .on_progress = [&](const auto& what, const auto& counts) { progress.Show(what, counts); },
       .on_files_read = access::CatchStopSignals});
}

CheckReport CheckLocal(const CheckOptions& options) {
  CheckReport report = migrate::inspect::CheckFiles(FileOptions(options));
  report.run = access::LocalFactsAt(access::TimeOfDay());
  return report;
}

}  // namespace plugin::check
