#include "plugin/report/fleet_differences.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kube/base/text.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"

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

}  // namespace plugin::report
