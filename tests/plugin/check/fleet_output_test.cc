#include <catch2/catch.hpp>

#include "plugin/command/check_output.h"
#include "tests/support/test_reports.h"

namespace plugin::command {
namespace fleet_output_test {

using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;
using terminal::OutputFormat;

FleetCluster Cluster(const std::string& name, std::vector<CrdReport> crds, int exit_code = 0) {
  return {.name = name, .exit_code = exit_code, .check = test_reports::Report(std::move(crds))};
}

report::Output Print(std::vector<FleetCluster> clusters, OutputFormat output) {
  CheckOptions options;
  options.output = output;
  return PrintFleet({.clusters = std::move(clusters)}, options, test_reports::kNow);
}

TEST_CASE("The exit code of a fleet is the worst of its clusters", "[plugin][fleet_output]") {
  const auto worst = [](const std::vector<int>& codes) {
    std::vector<FleetCluster> clusters;
    for (const int code : codes) clusters.push_back(Cluster("a", {}, code));
    return Print(clusters, OutputFormat::kJson).exit_code;
  };
  CHECK(worst({0, 0}) == 0);
  CHECK(worst({0, 1, 0}) == 1);
  CHECK(worst({1, 2, 0}) == 2);
}

TEST_CASE("Names of CRDs come once, whichever clusters have them", "[plugin][fleet_output]") {
  CHECK(Print({Cluster("a", {test_reports::Widgets()}),
               Cluster("b", {test_reports::Gadgets(), test_reports::Widgets()})},
              OutputFormat::kName)
            .out ==
        "customresourcedefinition.apiextensions.k8s.io/gadgets.demo.example.com\n"
        "customresourcedefinition.apiextensions.k8s.io/widgets.demo.example.com\n");
}

TEST_CASE("What could not be checked is an error beside what is for programs",
          "[plugin][fleet_output]") {
  const std::vector<FleetCluster> clusters = {{.name = "a", .error = "it is down", .exit_code = 2},
                                              Cluster("b", {test_reports::Gadgets()})};
  CHECK(Print(clusters, OutputFormat::kJson).err == "error: a could not be checked: it is down\n");
  CHECK(Print(clusters, OutputFormat::kTable).err == "");
}

TEST_CASE("What is said of several clusters is told once, with their names",
          "[plugin][fleet_output]") {
  std::vector<FleetCluster> clusters = {Cluster("a", {test_reports::Gadgets()}),
                                        Cluster("b", {test_reports::Gadgets()})};
  for (FleetCluster& cluster : clusters) cluster.check.file_errors = {"f:1:1: why"};
  clusters[1].check.file_errors.emplace_back("g:1:1: why");
  CHECK(Print(clusters, OutputFormat::kTable).err ==
        "all clusters: error: f:1:1: why\nb: error: g:1:1: why\n");
  clusters.push_back({.name = "c", .error = "it is down", .exit_code = 2});
  CHECK(Print(clusters, OutputFormat::kTable).err ==
        "a, b: error: f:1:1: why\nb: error: g:1:1: why\n");
  clusters.resize(1);
  CHECK(Print(clusters, OutputFormat::kTable).err == "a: error: f:1:1: why\n");
}

}  // namespace fleet_output_test
}  // namespace plugin::command
