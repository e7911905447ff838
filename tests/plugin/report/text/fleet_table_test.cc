#include "plugin/report/fleet_table.h"

#include <catch2/catch.hpp>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace fleet_table_test {

using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

const CheckTableOptions kPlain = {.now = test_reports::kNow};

FleetCluster Cluster(const std::string& name, std::vector<CrdReport> crds) {
  return {.name = name, .check = test_reports::Report(std::move(crds))};
}

FleetCluster Failed(const std::string& name, const std::string& error) {
  return {.name = name, .error = error, .exit_code = 2};
}

FleetReport Fleet(std::vector<FleetCluster> clusters) {
  FleetReport report{.clusters = std::move(clusters)};
  report.differences = migrate::report::FindDifferences(report.clusters);
  return report;
}

std::string Until(const std::string& text, const std::string& end) {
  return text.substr(0, text.find(end));
}

TEST_CASE("One table has every CRD of every cluster", "[plugin][fleet_table]") {
  const FleetReport report =
      Fleet({Cluster("prod-a", {test_reports::Certificates(), test_reports::Gadgets()}),
             Failed("prod-b", "it is down"), Cluster("prod-c", {}),
             Cluster("prod-d", {test_reports::Certificates(), test_reports::Gadgets()})});
  CHECK(
      PrintFleetTable(report, kPlain) ==
      "CLUSTER   NAME                           PRESERVES   STRUCTURAL   OBJECTS     "
      "LOSING-FIELDS   VERDICT\n"
      "prod-a    certificates.cert-manager.io   false       yes          <none>      <none>       "
      "   pruning\n"
      "prod-a    gadgets.demo.example.com       true        yes          7           0            "
      "   ready\n"
      "prod-b    <unknown>                      <unknown>   <unknown>    <unknown>   <unknown>    "
      "   unknown\n"
      "prod-c    <none>                         <none>      <none>       <none>      <none>       "
      "   <none>\n"
      "prod-d    certificates.cert-manager.io   false       yes          <none>      <none>       "
      "   pruning\n"
      "prod-d    gadgets.demo.example.com       true        yes          7           0            "
      "   ready\n"
      "\n"
      "prod-b could not be checked: it is down\n"
      "\n"
      "certificates.cert-manager.io was not found in prod-c\n"
      "gadgets.demo.example.com was not found in prod-c\n"
      "\n"
      "In prod-a, prod-d:\n"
      "\n"
      "gadgets.demo.example.com loses nothing when pruning is turned on\n"
      "Next: kubectl prune migrate gadgets.demo.example.com --enable-pruning\n"
      "\n"
      "Each command is for one cluster: it needs its --context.\n");
}

TEST_CASE("Of many rows those without findings are one for each cluster", "[plugin][fleet_table]") {
  std::vector<CrdReport> quiet;
  for (int i = 10; i < 20; ++i) {
    quiet.push_back(test_reports::Named(test_reports::Certificates(), "c" + std::to_string(i)));
  }
  std::vector<CrdReport> others = quiet;
  others.push_back(test_reports::Gadgets());
  const FleetReport report = Fleet({Cluster("prod-a", quiet), Cluster("prod-b", others)});
  CHECK(Until(PrintFleetTable(report, kPlain), "\n\ngadgets") ==
        "2 clusters; 21 CRDs: 1 ready, 20 already pruning\n"
        "\n"
        "CLUSTER   NAME                       PRESERVES   STRUCTURAL   OBJECTS   LOSING-FIELDS   "
        "VERDICT\n"
        "prod-a    (10 CRDs)                  false       yes          <none>    <none>          "
        "pruning\n"
        "prod-b    gadgets.demo.example.com   true        yes          7         0               "
        "ready\n"
        "prod-b    (10 more CRDs)             false       yes          <none>    <none>          "
        "pruning");
  CHECK(PrintFleetTable(report, {.wide = true, .now = test_reports::kNow}).find("c19") !=
        std::string::npos);
}

TEST_CASE("Rows alone are for scripts", "[plugin][fleet_table]") {
  const FleetReport report =
      Fleet({Cluster("prod-a", {test_reports::Gadgets()}), Failed("prod-b", "it is down")});
  CHECK(PrintFleetTable(report, {.rows_only = true, .now = test_reports::kNow}) ==
        "prod-a   gadgets.demo.example.com   true        yes         7           0           "
        "ready\n"
        "prod-b   <unknown>                  <unknown>   <unknown>   <unknown>   <unknown>   "
        "unknown\n");
}

TEST_CASE("A cluster whose CRDs were not read has none that is known", "[plugin][fleet_table]") {
  FleetReport report = Fleet({Cluster("prod-a", {})});
  report.clusters[0].check.not_all_crds_read = true;
  CHECK(PrintFleetTable(report, {.rows_only = true, .now = test_reports::kNow}) ==
        "prod-a   <unknown>   <unknown>   <unknown>   <unknown>   <unknown>   unknown\n");
}

TEST_CASE("What is explained alike is explained once", "[plugin][fleet_table]") {
  CrdReport other = test_reports::Widgets();
  other.objects_losing_fields = 12;
  const std::string out =
      PrintFleetTable(Fleet({Cluster("a", {test_reports::Widgets()}), Cluster("b", {other}),
                             Cluster("c", {test_reports::Widgets()})}),
                      kPlain);
  const std::string title = "\n\nwidgets.demo.example.com would lose 2 fields in ";
  CHECK(out.find("\nIn a, c:" + title + "1874 of 2000 objects:") != std::string::npos);
  CHECK(out.find("\nIn b:" + title + "12 of 2000 objects") != std::string::npos);
}

TEST_CASE("A CRD that differs is shown in each of its forms", "[plugin][fleet_table]") {
  const CrdReport widgets = test_reports::Widgets();
  CrdReport other = widgets;
  other.stored_versions = {"v1"};
  std::vector<FleetCluster> clusters = {Cluster("a", {other}), Cluster("b", {widgets}),
                                        Cluster("x", {})};
  clusters[0].schemas[other.name] = {.all = 3, .kept_fields = 3};
  clusters[1].schemas[widgets.name] = {.all = 2, .kept_fields = 1};
  for (const char* name : {"c", "d", "e", "f", "g", "h"}) {
    clusters.push_back(Cluster(name, {widgets}));
    clusters.back().schemas[widgets.name] = {.all = 1, .kept_fields = 1};
  }
  const std::string out = PrintFleetTable(Fleet(clusters), kPlain);
  const std::string begin = "widgets.demo.example.com is not the same in all clusters";
  CHECK(Until(out.substr(out.find(begin)), "\n\nIn ") ==
        begin +
            " (stored versions, schemas, where it is found):\n"
            "  CLUSTERS                PRESERVES   STORAGE-VERSION   STORED-VERSIONS   "
            "SERVED-VERSIONS   VERSIONS     SCHEMAS\n"
            "  c, d, e, f and 2 more   true        v1                v1,v1beta1        v1,v1beta1  "
            "      v1,v1beta1   A\n"
            "  a                       true        v1                v1                v1,v1beta1  "
            "      v1,v1beta1   B\n"
            "  b                       true        v1                v1,v1beta1        v1,v1beta1  "
            "      v1,v1beta1   A2\n"
            "  x                       <none>      <none>            <none>            <none>      "
            "      <none>       <none>");
}

TEST_CASE("A CRD that few clusters have is named with these", "[plugin][fleet_table]") {
  const FleetReport report =
      Fleet({Cluster("a", {test_reports::Certificates()}), Cluster("b", {}), Cluster("c", {})});
  CHECK(PrintFleetTable(report, kPlain)
            .ends_with("\n\ncertificates.cert-manager.io was found in a only\n"));
}

TEST_CASE("Clusters that a signal came before have one line", "[plugin][fleet_table]") {
  std::vector<FleetCluster> clusters = {Failed("a", "it is down"), Failed("b", "interrupted"),
                                        Failed("c\033", "interrupted")};
  clusters[1].is_interrupted = clusters[2].is_interrupted = true;
  CHECK(FleetErrors({.clusters = clusters}) ==
        "a could not be checked: it is down\n"
        "interrupted before they were checked: b, c^[\n");
}

}  // namespace fleet_table_test
}  // namespace plugin::report
