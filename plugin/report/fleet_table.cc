#include "plugin/report/fleet_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"
#include "plugin/report/check_rows.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/fleet_differences.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;
using Cells = std::vector<std::string>;

constexpr std::size_t kNarrowColumns = 6;

std::size_t CountRows(const FleetReport& report) {
  std::size_t rows = 0;
  for (const FleetCluster& cluster : report.clusters) {
    rows += std::max<std::size_t>(cluster.check.crds.size(), 1);
  }
  return rows;
}

// Nothing at all is known of it.
bool IsUnknown(const FleetCluster& cluster) {
  return !cluster.is_checked() || (cluster.check.crds.empty() && cluster.check.not_all_crds_read);
}

Cells Behind(const std::string& cluster, Cells cells) {
  cells.insert(cells.begin(), cluster);
  return cells;
}

/// The rows of a table, cluster by cluster.
class Rows {
 public:
  /// `sums_up`: quiet CRDs are counted.
  Rows(TextTable& table, bool wide, bool sums_up) : table_(table), wide_(wide), sums_up_(sums_up) {}

  void Add(const FleetCluster& cluster) {
    if (IsUnknown(cluster)) return AddAlike(cluster.name, "<unknown>", "unknown");
    if (cluster.check.crds.empty()) return AddAlike(cluster.name, "<none>", "<none>");
    std::vector<const CrdReport*> quiet;
    for (const CrdReport& crd : cluster.check.crds) {
      if (sums_up_ && terminal::IsQuiet(crd)) {
        quiet.push_back(&crd);
      } else {
        table_.AddRow(Behind(cluster.name, CheckCells(crd, wide_)));
      }
    }
    AddQuiet(cluster, quiet);
  }

 private:
  void AddAlike(const std::string& cluster, const char* cell, const char* verdict) {
    Cells cells(CheckTitles(wide_).size(), cell);
    cells[kNarrowColumns - 1] = verdict;
    table_.AddRow(Behind(cluster, std::move(cells)));
  }

  void AddQuiet(const FleetCluster& cluster, const std::vector<const CrdReport*>& quiet) {
    if (quiet.empty()) return;
    if (quiet.size() == 1) {
      return table_.AddRow(Behind(cluster.name, CheckCells(*quiet[0], wide_)));
    }
    std::uint64_t objects = 0;
    for (const CrdReport* crd : quiet) objects += crd->object_count;
    const bool has_others = quiet.size() < cluster.check.crds.size();
    const std::string name =
        "(" + std::to_string(quiet.size()) + (has_others ? " more CRDs)" : " CRDs)");
    const std::string count = objects == 0 ? "<none>" : std::to_string(objects);
    const std::string losing = objects == 0 ? "<none>" : "0";
    table_.AddRow({cluster.name, name, "false", "yes", count, losing, "pruning"});
  }

  TextTable& table_;
  const bool wide_, sums_up_;
};

void AppendTable(std::string& out, const FleetReport& report, const CheckTableOptions& options) {
  const bool has_many = CountRows(report) > kFewRows;
  if (has_many && !options.rows_only) out += Summary(report) + "\n";
  TextTable table(options.rows_only ? Cells() : Behind("CLUSTER", CheckTitles(options.wide)));
  Rows rows(table, options.wide, has_many && !options.wide && !options.rows_only);
  for (const FleetCluster& cluster : report.clusters) rows.Add(cluster);
  table.AppendTo(out);
}

/// A text, and the clusters that it holds for.
struct Explanation {
  std::string text;
  std::vector<std::string> clusters;
};

std::vector<Explanation> ExplanationsOf(const FleetReport& report,
                                        const CheckTableOptions& options) {
  std::vector<Explanation> explanations;
  for (const FleetCluster& cluster : report.clusters) {
    std::string text = PrintExplanations(cluster.check, options);
    if (text.empty()) continue;
    const auto same = std::ranges::find(explanations, text, &Explanation::text);
    (same == explanations.end() ? explanations.emplace_back(Explanation{std::move(text), {}})
                                : *same)
        .clusters.push_back(cluster.name);
  }
  return explanations;
}

void AppendExplained(std::string& out, const FleetReport& report,
                     const CheckTableOptions& options) {
  bool has_command = false;
  for (const Explanation& explanation : ExplanationsOf(report, options)) {
    out += "\nIn " + ClusterNames(explanation.clusters, /*all=*/true) + ":\n\n" + explanation.text;
    has_command |= explanation.text.find(migrate::report::OwnCommand("")) != std::string::npos;
  }
  if (has_command) out += "\nEach command is for one cluster: it needs its --context.\n";
}

}  // namespace

std::string PrintFleetTable(const FleetReport& report, const CheckTableOptions& options) {
  std::string out;
  AppendTable(out, report, options);
  if (options.rows_only) return out;
  for (const std::string& part : {FleetErrors(report), PrintDifferences(report, options.wide)}) {
    if (!part.empty()) out.append("\n").append(part);
  }
  AppendExplained(out, report, options);
  return out;
}

std::string FleetErrors(const FleetReport& report) {
  std::string errors;
  std::vector<std::string> interrupted;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) continue;
    if (cluster.is_interrupted) {
      interrupted.push_back(cluster.name);
      continue;
    }
    errors += terminal::Printable(cluster.name) +
              " could not be checked: " + terminal::Printable(cluster.error) + "\n";
  }
  if (interrupted.empty()) return errors;
  return errors + "interrupted before they were checked: " + ClusterNames(interrupted, true) + "\n";
}

}  // namespace plugin::report
