#include "plugin/command/fleet_output.h"

#include <algorithm>
#include <set>
#include <string>

#include "plugin/command/remarks.h"
#include "plugin/report/fleet_page.h"
#include "plugin/report/fleet_report_json.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/report_forms.h"

namespace plugin::command {
namespace {

using kube::json::Arena;
using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

// What is handed on to kubectl: a CRD that several clusters have is named once.
std::string PrintCheckedNames(const FleetReport& report) {
  std::set<std::string> names;
  for (const FleetCluster& cluster : report.clusters) {
    for (const CrdReport& crd : cluster.check.crds) names.insert(NameOf(crd));
  }
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

std::string PrintRemarks(const FleetReport& report, const CheckOptions& options) {
  Remarks remarks;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) remarks.Take(cluster.name, PrintErrors(cluster.check, options));
  }
  return remarks.Print(report.clusters.size());
}

std::string PrintFleetErrors(const FleetReport& report, const CheckOptions& options) {
  std::string err;
  if (!ShowsSections(options)) {
    for (const std::string& line : LinesOf(report::FleetErrors(report))) {
      err += "error: " + line + "\n";
    }
  }
  return err + PrintRemarks(report, options);
}

int WorstExitCode(const FleetReport& report) {
  int worst = 0;
  for (const FleetCluster& cluster : report.clusters) worst = std::max(worst, cluster.exit_code);
  return worst;
}

}  // namespace

CheckOutput PrintFleet(const FleetReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now) {
  const report::ReportForms forms = {
      .json = [&](Arena& arena) { return report::ToJson(report, options.show_objects, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return PrintCheckedNames(report); },
      .table = [&] { return report::PrintFleetTable(report, TableOptions(options, now)); }};
  return {.out = report::PrintForm(forms, options.output, options.output_template),
          .err = PrintFleetErrors(report, options),
          .exit_code = WorstExitCode(report)};
}

}  // namespace plugin::command
