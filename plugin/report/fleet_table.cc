#include "plugin/report/fleet_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/check_table.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::base::Join;
using migrate::report::CrdDifference;
using migrate::report::CrdSchemas;
using migrate::report::CrdVariant;
using migrate::report::FleetReport;

constexpr std::size_t kShownClusters = 4;
constexpr std::size_t kShownMissing = 10;

/// Short names for schemas: "A", "B" ..., by their first use; those that keep the same fields have
/// the same letter: "A", "A2".
class SchemaNames {
 public:
  std::string NameOf(const CrdSchemas& schemas) {
    const auto family = std::ranges::find(families_, schemas.kept_fields, &Family::kept_fields);
    Family& known = family == families_.end()
                        ? families_.emplace_back(Family{schemas.kept_fields, {}})
                        : *family;
    const auto letter = Letters(static_cast<std::size_t>(&known - families_.data()));
    const auto member = std::ranges::find(known.members, schemas.all);
    const auto number = static_cast<std::size_t>(member - known.members.begin());
    if (member == known.members.end()) known.members.push_back(schemas.all);
    return number == 0 ? letter : letter + std::to_string(number + 1);
  }

 private:
  struct Family {
    std::uint64_t kept_fields;
    std::vector<std::uint64_t> members;
  };

  static std::string Letters(std::size_t number) {
    constexpr std::size_t kLetters = 26;
    const auto last = static_cast<char>('A' + number % kLetters);
    return (number < kLetters ? "" : Letters(number / kLetters - 1)) + last;
  }

  std::vector<Family> families_;
};

void AppendVariants(std::string& out, const CrdDifference& difference, bool wide) {
  TextTable table({"CLUSTERS", "PRESERVES", "STORAGE-VERSION", "STORED-VERSIONS", "SERVED-VERSIONS",
                   "VERSIONS", "SCHEMAS"});
  SchemaNames names;
  for (const CrdVariant& variant : difference.variants) {
    const std::string clusters = ClusterNames(variant.clusters, wide);
    if (!variant.is_found) {
      table.AddRow({clusters, "", "", "", "", "", ""});
      continue;
    }
    table.AddRow({clusters, variant.preserve_unknown_fields ? "true" : "false",
                  variant.storage_version, Join(variant.stored_versions, ","),
                  Join(variant.served_versions, ","), Join(variant.versions, ","),
                  names.NameOf(variant.schemas)});
  }
  table.AppendTo(out, "  ");
}

std::string MissingLine(const CrdDifference& difference, bool wide) {
  const CrdVariant& found = difference.variants.front();
  const CrdVariant& missing = difference.variants.back();
  const bool is_rare = found.clusters.size() < missing.clusters.size();
  return terminal::Printable(difference.name) +
         (is_rare ? " was found in " + ClusterNames(found.clusters, wide) + " only"
                  : " was not found in " + ClusterNames(missing.clusters, wide)) +
         "\n";
}

}  // namespace

std::string ClusterNames(const std::vector<std::string>& clusters, bool all) {
  std::vector<std::string> names;
  for (const std::string& cluster : clusters) {
    if (!all && names.size() == kShownClusters) break;
    names.push_back(terminal::Printable(cluster));
  }
  const std::size_t left_out = clusters.size() - names.size();
  return Join(names, ", ") + (left_out == 0 ? "" : " and " + std::to_string(left_out) + " more");
}

std::string PrintDifferences(const FleetReport& report, bool wide) {
  std::string tables, lines;
  std::size_t missing = 0;
  for (const CrdDifference& difference : report.differences) {
    if (difference.IsOnlyMissing()) {
      if (++missing <= kShownMissing || wide) lines += MissingLine(difference, wide);
      continue;
    }
    tables += terminal::Printable(difference.name) + " is not the same in all clusters (" +
              Join(migrate::report::DifferingParts(difference), ", ") + "):\n";
    AppendVariants(tables, difference, wide);
  }
  if (missing > kShownMissing && !wide) {
    lines += "... and " + kube::base::Count(missing - kShownMissing, "more CRD") +
             " that some clusters lack (-o wide shows all)\n";
  }
  return tables + (tables.empty() || lines.empty() ? "" : "\n") + lines;
}

namespace {

using migrate::report::CrdReport;
using migrate::report::FleetCluster;
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
  table.AppendTo(out, "", options.rows_only ? Screen() : options.screen);
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
