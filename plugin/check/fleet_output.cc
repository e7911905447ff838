#include "plugin/check/fleet_output.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/check/report_forms.h"
#include "plugin/report/data/fleet_report_json.h"
#include "plugin/report/page/fleet_page.h"
#include "plugin/report/text/fleet_differences.h"
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

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Lines about clusters, each with those that it is said of: what is wrong with files is of all.
class Remarks {
 public:
  void Take(const FleetCluster& cluster, const std::string& text) {
    for (std::string& line : LinesOf(text)) {
      const auto [place, is_new] = places_.emplace(line, remarks_.size());
      if (is_new) remarks_.emplace_back(std::move(line), std::vector<std::string>());
      remarks_[place->second].second.push_back(cluster.name);
    }
  }

  /// Each once, behind whom it is said of; `all`: how many clusters there are.
  std::string Print(std::size_t all) const {
    std::string out;
    for (const auto& [line, clusters] : remarks_) {
      const bool is_of_all = all > 1 && clusters.size() == all;
      out += is_of_all ? "all clusters" : report::text::ClusterNames(clusters, /*all=*/true);
      out += ": " + line + "\n";
    }
    return out;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, std::vector<std::string>>> remarks_;
};

std::string PrintRemarks(const FleetReport& report, const CheckOptions& options) {
  Remarks remarks;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) remarks.Take(cluster, PrintErrors(cluster.check, options));
  }
  return remarks.Print(report.clusters.size());
}

std::string PrintFleetErrors(const FleetReport& report, const CheckOptions& options) {
  std::string err;
  if (!ShowsSections(options)) {
    for (const std::string& line : LinesOf(report::text::FleetErrors(report))) {
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
  const ReportForms forms = {
      .json =
          [&](Arena& arena) { return report::data::ToJson(report, options.show_objects, arena); },
      .page = [&] { return report::page::PageOf(report); },
      .names = [&] { return PrintNames(report); },
      .table = [&] { return report::text::PrintFleetTable(report, TableOptions(options, now)); }};
  return {.out = PrintForm(forms, options),
          .err = PrintFleetErrors(report, options),
          .exit_code = WorstExitCode(report)};
}

}  // namespace plugin::check
