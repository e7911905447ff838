#include <algorithm>
#include <unordered_map>

#include "migrate/check/cluster_check.h"
#include "migrate/check/file_run.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {
namespace {

using Tallies = std::unordered_map<const CrdCheck*, CrdTally>;

report::CrdReport ReportOf(const CrdCheck& check, std::vector<Tallies>& workers,
                           bool objects_skipped) {
  if (objects_skipped) return check.facts().report;
  CrdTally sum;
  for (Tallies& tallies : workers) sum.Merge(std::move(tallies[&check]));
  report::CrdReport report = check.Report(sum);
  if (report.object_count > 0) report.AddNote(check.CelNote());
  return report;
}

}  // namespace

report::CheckReport CheckFiles(const CheckOptions& options) {
  const std::size_t workers = cluster::WorkerCount();
  FileRun run(cluster::ListManifestFiles(options.filenames, options.recursive), workers,
              {.keep_paths = options.show_objects,
               .opened = options.opened,
               .checks_validity = !options.skip_objects,
               .server = {.release = options.release}});
  std::vector<Tallies> tallies(workers);
  run.CollectCrds();
  run.ReadObjects([&](std::size_t worker, FileObject& object) {
    if (options.skip_objects) return;
    for (const CrdSet::Entry* entry : object.crds) {
      entry->check->CheckObject({object.value, object.place, object.source, object.may_hold_nulls},
                                tallies[worker][entry->check.get()]);
    }
  });

  report::CheckReport report;
  run.crds().Select(options.crd_names, options.ignored_crds);
  for (const CrdSet::Entry* entry : run.crds().Sorted()) {
    if (!entry->selected) continue;
    report.crds.push_back(ReportOf(*entry->check, tallies, options.skip_objects));
  }
  for (report::CrdReport& broken : run.TakeBrokenCrds()) report.crds.push_back(std::move(broken));
  std::stable_sort(
      report.crds.begin(), report.crds.end(),
      [](const report::CrdReport& a, const report::CrdReport& b) { return a.name < b.name; });
  report.unknown_kinds = run.UnknownKinds();
  report.file_errors = run.TakeErrors();
  report.file_hints = run.TakeHints();
  return report;
}

}  // namespace migrate::check
