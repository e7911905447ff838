#include "plugin/check/fleet_output.h"

#include <algorithm>
#include <set>
#include <string>

#include "plugin/fleet/remarks.h"
#include "plugin/report/data/fleet_report_json.h"
#include "plugin/report/format/report_forms.h"
#include "plugin/report/page/fleet_page.h"
#include "plugin/report/text/fleet_table.h"

namespace plugin::check {
namespace {

using kube::json::Arena;
using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

// What is handed on to kubectl: a CRD that several clusters have is named once.
std::string PrintNames(const FleetReport& report) {
  std::set<std::string> names;
  for (const FleetCluster& cluster : report.clusters) {
    for (const CrdReport& crd : cluster.check.crds) names.insert(NameOf(crd));
  }
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

std::string PrintRemarks(const FleetReport& report, const CheckOptions& options) {
  fleet::Remarks remarks;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) remarks.Take(cluster.name, PrintErrors(cluster.check, options));
  }
  return remarks.Print(report.clusters.size());
}

std::string PrintFleetErrors(const FleetReport& report, const CheckOptions& options) {
  std::string err;
  if (!ShowsSections(options)) {
    for (const std::string& line : fleet::LinesOf(report::text::FleetErrors(report))) {
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
  const report::format::ReportForms forms = {
      .json =
          [&](Arena& arena) { return report::data::ToJson(report, options.show_objects, arena); },
      .page = [&] { return report::page::PageOf(report); },
      .names = [&] { return PrintNames(report); },
      .table = [&] { return report::text::PrintFleetTable(report, TableOptions(options, now)); }};
  return {.out = report::format::PrintForm(forms, options.output, options.output_template),
          .err = PrintFleetErrors(report, options),
          .exit_code = WorstExitCode(report)};
}

}  // namespace plugin::check
