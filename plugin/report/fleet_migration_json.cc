#include "plugin/report/fleet_migration_json.h"

#include <cstdint>

#include "plugin/report/migration_report_json.h"
#include "plugin/report/object_builder.h"
#include "plugin/report/run_json.h"

namespace plugin::report {
namespace {

using kube::json::Arena;
using kube::json::Value;
using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;

Value SummaryOf(const FleetMigrationReport& report, Arena& arena) {
  const migrate::report::FleetMigrationSums sums = SumsOf(report);
  ObjectBuilder builder(arena);
  builder.Number("clusters", report.clusters.size())
      .Number("notMigrated", sums.not_migrated)
      .Number("same", sums.same)
      .Number("crds", sums.crds);
  AddCounts(builder, "listed", sums.counts);
  return builder.Add("seconds", Seconds(report.seconds, arena)).Build();
}

Value ClusterOf(const MigratedCluster& cluster, Arena& arena) {
  ObjectBuilder builder(arena);
  builder.Text("name", cluster.name)
      .Number("exitCode", static_cast<std::uint64_t>(cluster.exit_code));
  if (!cluster.error.empty()) return builder.Text("error", cluster.error).Build();
  if (!cluster.same_as.empty()) return builder.Text("sameAs", cluster.same_as).Build();
  return builder.Add("report", ToJson(cluster.migration, arena)).Build();
}

}  // namespace

Value ToJson(const FleetMigrationReport& report, Arena& arena) {
  ObjectBuilder builder(arena);
  builder.Text("apiVersion", kReportApiVersion).Text("kind", "FleetMigrationReport");
  AddFacts(builder, report.run);
  builder.Add("summary", SummaryOf(report, arena));
  builder.List("clusters", report.clusters,
               [&arena](const MigratedCluster& cluster) { return ClusterOf(cluster, arena); });
  return builder.Build();
}

}  // namespace plugin::report
