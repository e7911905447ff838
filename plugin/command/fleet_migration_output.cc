#include "plugin/command/fleet_migration_output.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "plugin/command/fleet_console.h"
#include "plugin/command/fleet_migration.h"
#include "plugin/command/side_by_side.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/migration_report_json.h"
#include "plugin/report/object_builder.h"
#include "plugin/report/pages.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using kube::json::Arena;
using migrate::report::CrdMigration;
using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;
using migrate::report::Outcome;
using Cells = std::vector<std::string>;

Cells RowOf(const std::string& cluster, const CrdMigration& crd) {
  return {cluster, crd.name,
          std::string(report::OutcomeName(crd.outcome)).append(terminal::DryRunSuffix(crd.dry_run)),
          StoredVersionsText(crd), MigratedObjectsText(crd)};
}

Cells RowWithoutCrd(const MigratedCluster& cluster) {
  std::string name = "<none>", outcome = "done";
  if (!cluster.error.empty()) {
    name = "<unknown>";
    outcome = cluster.is_interrupted ? "interrupted" : "error";
  } else if (!cluster.same_as.empty()) {
    outcome = "same as " + cluster.same_as;
  }
  return {cluster.name, name, outcome, "<none>", "<none>"};
}

std::string PrintTable(const FleetMigrationReport& report) {
  report::TextTable table({"CLUSTER", "NAME", "OUTCOME", "STORED-VERSIONS", "OBJECTS"});
  for (const MigratedCluster& cluster : report.clusters) {
    for (const CrdMigration& crd : cluster.migration.crds) table.AddRow(RowOf(cluster.name, crd));
    if (cluster.migration.crds.empty()) table.AddRow(RowWithoutCrd(cluster));
  }
  std::string out;
  table.AppendTo(out);
  return out;
}

// What is handed on: a CRD that is migrated wherever it was tried, once.
std::string PrintMigratedNames(const FleetMigrationReport& report) {
  std::map<std::string, bool> are_done;
  for (const MigratedCluster& cluster : report.clusters) {
    for (const CrdMigration& crd : cluster.migration.crds) {
      bool& is_done = are_done.emplace(crd.name, true).first->second;
      is_done = is_done && crd.outcome == Outcome::kDone;
    }
  }
  std::string out;
  for (const auto& [name, is_done] : are_done) {
    if (is_done) out += report::TypedName(name) + "\n";
  }
  return out;
}

std::string ErrorsOf(const MigratedCluster& cluster, const MigrateOptions& options) {
  if (!cluster.error.empty()) {
    return "error: the cluster could not be migrated: " + terminal::PrintableLines(cluster.error);
  }
  if (!cluster.same_as.empty()) return "";
  if (cluster.migration.crds.empty()) return "Nothing to migrate";
  return PrintMigrationErrors(cluster.migration, OptionsOfCluster(options, cluster.name));
}

std::string PrintFleetErrors(const FleetMigrationReport& report, const MigrateOptions& options) {
  std::string err;
  Cells interrupted;
  for (const MigratedCluster& cluster : report.clusters) {
    if (cluster.is_interrupted) {
      interrupted.push_back(cluster.name);
      continue;
    }
    for (const std::string& line : terminal::LinesOf(ErrorsOf(cluster, options))) {
      err += terminal::Printable(cluster.name) + ": " + line + "\n";
    }
  }
  if (interrupted.empty()) return err;
  return err + "interrupted before they were migrated: " +
         report::ClusterNames(interrupted, /*all=*/true) + "\n";
}

}  // namespace

report::Output PrintFleetMigration(const FleetMigrationReport& report,
                                   const MigrateOptions& options) {
  const report::ReportForms forms = {
      .json = [&](Arena& arena) { return report::ToJson(report, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return PrintMigratedNames(report); },
      .table = [&] { return PrintTable(report); }};
  return report::PrintDone(forms, options.output, options.output_template,
                           PrintFleetErrors(report, options), WorstExitCode(report.clusters));
}

}  // namespace plugin::command
