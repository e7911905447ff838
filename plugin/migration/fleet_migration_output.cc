#include "plugin/migration/fleet_migration_output.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "kube/base/error.h"
#include "plugin/fleet/remarks.h"
#include "plugin/migration/fleet_migration.h"
#include "plugin/report/data/fleet_migration_json.h"
#include "plugin/report/data/run_json.h"
#include "plugin/report/format/report_forms.h"
#include "plugin/report/page/fleet_migration_page.h"
#include "plugin/report/text/fleet_differences.h"
#include "plugin/report/text/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::migration {
namespace {

using kube::json::Arena;
using migrate::report::CrdMigration;
using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;
using migrate::report::Outcome;
using report::text::MigrationOutput;
using Cells = std::vector<std::string>;

Cells RowOf(const std::string& cluster, const CrdMigration& crd) {
  return {cluster, crd.name,
          std::string(report::data::OutcomeName(crd.outcome))
              .append(terminal::DryRunSuffix(crd.dry_run)),
          report::text::StoredVersionsText(crd), report::text::MigratedObjectsText(crd)};
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
  report::text::Table table({"CLUSTER", "NAME", "OUTCOME", "STORED-VERSIONS", "OBJECTS"});
  for (const MigratedCluster& cluster : report.clusters) {
    for (const CrdMigration& crd : cluster.migration.crds) table.AddRow(RowOf(cluster.name, crd));
    if (cluster.migration.crds.empty()) table.AddRow(RowWithoutCrd(cluster));
  }
  std::string out;
  table.AppendTo(out);
  return out;
}

// What is handed on: a CRD that is migrated wherever it was tried, once.
std::string PrintNames(const FleetMigrationReport& report) {
  std::map<std::string, bool> are_done;
  for (const MigratedCluster& cluster : report.clusters) {
    for (const CrdMigration& crd : cluster.migration.crds) {
      bool& is_done = are_done.emplace(crd.name, true).first->second;
      is_done = is_done && crd.outcome == Outcome::kDone;
    }
  }
  std::string out;
  for (const auto& [name, is_done] : are_done) {
    if (is_done) {
      out += "customresourcedefinition.apiextensions.k8s.io/" + terminal::Printable(name) + "\n";
    }
  }
  return out;
}

std::string ErrorsOf(const MigratedCluster& cluster, const flags::MigrateOptions& options) {
  if (!cluster.error.empty()) {
    return "error: the cluster could not be migrated: " + terminal::PrintableLines(cluster.error);
  }
  if (!cluster.same_as.empty()) return "";
  if (cluster.migration.crds.empty()) return "Nothing to migrate";
  return report::text::PrintMigrationErrors(cluster.migration,
                                            OptionsOfCluster(options, cluster.name));
}

std::string PrintErrors(const FleetMigrationReport& report, const flags::MigrateOptions& options) {
  std::string err;
  Cells interrupted;
  for (const MigratedCluster& cluster : report.clusters) {
    if (cluster.is_interrupted) {
      interrupted.push_back(cluster.name);
      continue;
    }
    for (const std::string& line : fleet::LinesOf(ErrorsOf(cluster, options))) {
      err += terminal::Printable(cluster.name) + ": " + line + "\n";
    }
  }
  if (interrupted.empty()) return err;
  return err + "interrupted before they were migrated: " +
         report::text::ClusterNames(interrupted, /*all=*/true) + "\n";
}

int WorstExitCode(const FleetMigrationReport& report) {
  int worst = 0;
  for (const MigratedCluster& cluster : report.clusters) {
    worst = std::max(worst, cluster.exit_code);
  }
  return worst;
}

}  // namespace

MigrationOutput PrintFleetMigration(const FleetMigrationReport& report,
                                    const flags::MigrateOptions& options) {
  const report::format::ReportForms forms = {
      .json = [&](Arena& arena) { return report::data::ToJson(report, arena); },
      .page = [&] { return report::page::PageOf(report); },
      .names = [&] { return PrintNames(report); },
      .table = [&] { return PrintTable(report); }};
  MigrationOutput output{
      .out = "", .err = PrintErrors(report, options), .exit_code = WorstExitCode(report)};
  try {
    output.out = report::format::PrintForm(forms, options.output, options.output_template);
  } catch (const kube::base::Error& error) {
    // A template fails: people are told what was done, as it cannot be asked for again.
    output.err =
        PrintTable(report) + output.err + "error: " + terminal::PrintableLines(error.what()) + "\n";
    output.exit_code = 2;
  }
  return output;
}

}  // namespace plugin::migration
