#include <catch2/catch.hpp>

#include "plugin/report/pages.h"
#include "tests/support/test_reports.h"

namespace plugin::report {
namespace fleet_page_test {

using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

FleetCluster Cluster(const std::string& name, std::vector<CrdReport> crds, int exit_code) {
  return {.name = name, .exit_code = exit_code, .check = test_reports::Report(std::move(crds))};
}

Page PageOfClusters(std::vector<FleetCluster> clusters) {
  FleetReport report{.clusters = std::move(clusters)};
  report.differences = migrate::report::FindDifferences(report.clusters);
  return PageOf(report);
}

TEST_CASE("A page of a fleet has a section for each CRD of each cluster", "[plugin][page]") {
  const Page page = PageOfClusters({Cluster("a", {test_reports::Widgets()}, 1),
                                    {.name = "b", .error = "it is down", .exit_code = 2},
                                    Cluster("c", {test_reports::Gadgets()}, 0)});
  REQUIRE(page.sections.size() == 3);
  CHECK(page.sections[0].name == "a / widgets.demo.example.com");
  CHECK(page.sections[1].name == "b");
  CHECK(page.sections[1].result == Result::kError);
  CHECK(page.sections[1].remarks.at(0).text == "it is down");
  CHECK(page.sections[2].name == "c / gadgets.demo.example.com");
  CHECK(page.answer ==
        "1 of 3 clusters could not be checked. 2 of 2 CRDs in 2 clusters need something: 1 would "
        "lose fields (1874 of 2007 objects), 1 can have pruning turned on");
  CHECK(page.tone == Tone::kBad);
  CHECK(page.tallies[0].count == 3);
  CHECK(page.tallies[1].count == 1);
  CHECK(page.tallies[2].count == 2);
}

TEST_CASE("A page of a fleet opens with the answer of its first screen", "[plugin][page]") {
  const FleetCluster good = Cluster("a", {test_reports::Gadgets()}, 0);
  const FleetCluster bad = Cluster("b", {test_reports::Gizmos()}, 1);
  CHECK(PageOfClusters({good}).answer ==
        "1 of 1 CRD in 1 cluster needs something: 1 can have pruning turned on");
  CHECK(PageOfClusters({good, bad}).answer ==
        "2 of 2 CRDs in 2 clusters need something: 1 is blocked, 1 can have pruning turned on");
}

TEST_CASE("What differs, and what is noted of a cluster, are remarks with its name",
          "[plugin][page]") {
  FleetCluster noted = Cluster("a", {test_reports::Gadgets()}, 0);
  noted.check.file_errors = {"a.yaml:1:1: why"};
  const Page page = PageOfClusters({noted, Cluster("b", {}, 0)});
  REQUIRE(page.remarks.size() == 2);
  CHECK(page.remarks[0].text == "a: a.yaml:1:1: why");
  CHECK(page.remarks[1].text ==
        "gadgets.demo.example.com is not the same in all clusters (where it is found): a "
        "(preserves unknown fields, storage version v1, stored v1, served v1); not found in b");
}

}  // namespace fleet_page_test
}  // namespace plugin::report
