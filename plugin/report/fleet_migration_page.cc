#include "plugin/report/fleet_migration_page.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "kube/base/text.h"
#include "plugin/report/migration_page.h"
#include "plugin/report/run_parts.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using migrate::report::DryRun;
using migrate::report::FleetMigrationReport;
using migrate::report::FleetMigrationSums;
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
std::string AnswerOf(const FleetMigrationReport& report, const FleetMigrationSums& sums) {
  const std::uint64_t all = report.clusters.size() - sums.same;
  const auto bad = static_cast<std::uint64_t>(std::ranges::count_if(
      report.clusters, [](const MigratedCluster& cluster) { return cluster.exit_code != 0; }));
  const std::string suffix = IsDryRun(report) ? " (dry run)" : "";
  if (bad > 0) {
    return std::to_string(bad) + " of " + Count(all, "cluster") + " not wholly migrated" + suffix;
  }
  return Count(all, "cluster") + " migrated, " + Count(sums.counts.Total(), "object") + suffix;
}

}  // namespace

Page PageOf(const FleetMigrationReport& report) {
  Page page{.command = "migrate", .run = report.run, .seconds = report.seconds};
  for (const MigratedCluster& cluster : report.clusters) {
    if (!cluster.error.empty()) {
      page.sections.push_back(NotMigrated(cluster));
    } else if (!cluster.same_as.empty()) {
      page.sections.push_back(SameCluster(cluster));
    } else {
      AddMigrated(page, cluster);
    }
  }
  const FleetMigrationSums sums = SumsOf(report);
  page.answer = AnswerOf(report, sums);
  page.tone = WorstOf(page.sections);
  page.tallies = TalliesOf(sums.crds, sums.counts, ToneOfClass);
  page.tallies.insert(
      page.tallies.begin(),
      {{report.clusters.size() == 1 ? "cluster" : "clusters", report.clusters.size(), Tone::kPlain},
       {"not migrated", sums.not_migrated,
        sums.not_migrated == 0 ? Tone::kPlain : Tone::kWarning}});
  return page;
}

}  // namespace plugin::report
