#include "plugin/report/page/fleet_migration_page.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "kube/base/text.h"
#include "plugin/report/page/migration_page.h"
#include "plugin/report/page/run_parts.h"

namespace plugin::report::page {
namespace {

using kube::base::Count;
using migrate::report::DryRun;
using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;

Section NotMigrated(const MigratedCluster& cluster) {
  return {.name = cluster.name,
          .verdict = cluster.is_interrupted ? "interrupted" : "error",
          .tone = cluster.is_interrupted ? Tone::kWarning : Tone::kBad,
          .result = Result::kError,
          .answer = "The cluster could not be migrated",
          .remarks = {{Tone::kBad, cluster.error}}};
}

Section SameCluster(const MigratedCluster& cluster) {
  return {.name = cluster.name,
          .verdict = "same cluster",
          .tone = Tone::kPlain,
          .result = Result::kSkipped,
          .answer = "It is the same cluster as " + cluster.same_as + ", where it is migrated once"};
}

Section NothingToMigrate(const MigratedCluster& cluster) {
  return {
      .name = cluster.name, .verdict = "none", .tone = Tone::kGood, .answer = "Nothing to migrate"};
}

void AddMigrated(Page& page, const MigratedCluster& cluster) {
  Page own = PageOf(cluster.migration);
  if (own.sections.empty()) return page.sections.push_back(NothingToMigrate(cluster));
  for (Section& section : own.sections) section.name = cluster.name + " / " + section.name;
  std::ranges::move(own.sections, std::back_inserter(page.sections));
}

bool IsDryRun(const FleetMigrationReport& report) {
  return std::ranges::any_of(report.clusters, [](const MigratedCluster& cluster) {
    return !cluster.migration.crds.empty() &&
           cluster.migration.crds.front().dry_run != DryRun::kNone;
  });
}

// Of as many clusters as there are: several contexts of one count once.
std::string AnswerOf(const FleetMigrationReport& report, std::uint64_t same,
                     std::uint64_t objects) {
  const std::uint64_t all = report.clusters.size() - same;
  const auto bad = static_cast<std::uint64_t>(std::ranges::count_if(
      report.clusters, [](const MigratedCluster& cluster) { return cluster.exit_code != 0; }));
  const std::string suffix = IsDryRun(report) ? " (dry run)" : "";
  if (bad > 0) {
    return std::to_string(bad) + " of " + Count(all, "cluster") + " not wholly migrated" + suffix;
  }
  return Count(all, "cluster") + " migrated, " + Count(objects, "object") + suffix;
}

}  // namespace

Page PageOf(const FleetMigrationReport& report) {
  Page page{.command = "migrate", .run = report.run, .seconds = report.seconds};
  std::uint64_t failed = 0, same = 0, crds = 0;
  migrate::report::ClassCounts sum;
  for (const MigratedCluster& cluster : report.clusters) {
    crds += cluster.migration.crds.size();
    for (const auto& crd : cluster.migration.crds) sum += crd.counts;
    if (!cluster.error.empty()) {
      ++failed;
      page.sections.push_back(NotMigrated(cluster));
    } else if (!cluster.same_as.empty()) {
      ++same;
      page.sections.push_back(SameCluster(cluster));
    } else {
      AddMigrated(page, cluster);
    }
  }
  page.answer = AnswerOf(report, same, sum.Total());
  page.tone = WorstOf(page.sections);
  page.tallies = TalliesOf(crds, sum, ToneOfClass);
  page.tallies.insert(
      page.tallies.begin(),
      {{report.clusters.size() == 1 ? "cluster" : "clusters", report.clusters.size(), Tone::kPlain},
       {"not migrated", failed, failed == 0 ? Tone::kPlain : Tone::kWarning}});
  return page;
}

}  // namespace plugin::report::page
