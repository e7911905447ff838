#include "plugin/report/fleet_page.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "kube/base/text.h"
#include "plugin/report/check_page.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using kube::base::Join;
using migrate::report::CrdDifference;
using migrate::report::CrdReport;
using migrate::report::CrdVariant;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

Section FailedSection(const FleetCluster& cluster) {
  return {.name = cluster.name,
          .verdict = "unknown",
          .tone = Tone::kWarning,
          .result = Result::kError,
          .answer = "The cluster could not be checked",
          .remarks = {{Tone::kBad, cluster.error}}};
}

// Where its parts stand among those of others each says whose it is.
void Append(Page& page, Page cluster, const std::string& name) {
  for (Section& section : cluster.sections) section.name = name + " / " + section.name;
  for (Remark& remark : cluster.remarks) remark.text = name + ": " + remark.text;
  for (Step& step : cluster.steps) step.title = name + ": " + step.title;
  std::ranges::move(cluster.sections, std::back_inserter(page.sections));
  std::ranges::move(cluster.remarks, std::back_inserter(page.remarks));
  std::ranges::move(cluster.steps, std::back_inserter(page.steps));
}

std::string DescribeVariant(const CrdVariant& variant) {
  const std::string clusters = Join(variant.clusters, ", ");
  if (!variant.is_found) return "not found in " + clusters;
  return clusters + " (" + (variant.preserve_unknown_fields ? "preserves unknown fields, " : "") +
         "storage version " + variant.storage_version + ", stored " +
         Join(variant.stored_versions, " ") + ", served " + Join(variant.served_versions, " ") +
         ")";
}

Remark RemarkOf(const CrdDifference& difference) {
  std::vector<std::string> variants;
  for (const CrdVariant& variant : difference.variants)
    variants.push_back(DescribeVariant(variant));
  return {Tone::kPlain, difference.name + " is not the same in all clusters (" +
                            Join(migrate::report::DifferingParts(difference), ", ") +
                            "): " + Join(variants, "; ")};
}

std::string AnswerOf(const FleetReport& report, std::uint64_t failed) {
  const std::string clusters = Count(report.clusters.size(), "cluster");
  if (failed > 0) return std::to_string(failed) + " of " + clusters + " could not be checked";
  const auto found = static_cast<std::uint64_t>(std::ranges::count_if(
      report.clusters, [](const FleetCluster& cluster) { return cluster.exit_code != 0; }));
  if (found == 0) return "Nothing was found in " + clusters;
  return std::to_string(found) + " of " + clusters + (found == 1 ? " has" : " have") + " findings";
}

}  // namespace

Page PageOf(const FleetReport& report) {
  Page page{.command = "check", .run = report.run};
  std::vector<const CrdReport*> crds;
  std::uint64_t failed = 0;
  for (const FleetCluster& cluster : report.clusters) {
    for (const CrdReport& crd : cluster.check.crds) crds.push_back(&crd);
    if (cluster.is_checked()) {
      Append(page, PageOf(cluster.check), cluster.name);
    } else {
      ++failed;
      page.sections.push_back(FailedSection(cluster));
    }
  }
  for (const CrdDifference& difference : report.differences) {
    page.remarks.push_back(RemarkOf(difference));
  }
  page.answer = AnswerOf(report, failed);
  page.tallies = TalliesOf(crds);
  page.tallies.insert(
      page.tallies.begin(),
      {{report.clusters.size() == 1 ? "cluster" : "clusters", report.clusters.size(), Tone::kPlain},
       {"not checked", failed, failed == 0 ? Tone::kPlain : Tone::kWarning}});
  page.tone = WorstToneOf(page);
  return page;
}

}  // namespace plugin::report
