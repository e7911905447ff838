#include "migrate/report/fleet_report.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/test_reports.h"

namespace migrate::report {
namespace fleet_report_test {

using Names = std::vector<std::string>;

FleetCluster Cluster(const std::string& name, std::vector<CrdReport> crds) {
  return {.name = name, .check = test_reports::Report(std::move(crds))};
}

Names PartsOf(const CrdReport& a, const CrdReport& b) {
  const auto differences = FindDifferences({Cluster("a", {a}), Cluster("b", {b})});
  return differences.empty() ? Names() : DifferingParts(differences.at(0));
}

TEST_CASE("What all clusters have alike is no difference", "[migrate][fleet_report]") {
  const CrdReport widgets = test_reports::Widgets();
  CHECK(FindDifferences({Cluster("a", {widgets}), Cluster("b", {widgets})}).empty());
  CHECK(FindDifferences({Cluster("a", {widgets})}).empty());
  CHECK(FindDifferences({}).empty());
}

TEST_CASE("That their objects differ makes no difference of CRDs", "[migrate][fleet_report]") {
  CrdReport other = test_reports::Widgets();
  other.object_count = other.objects_losing_fields = 0;
  other.verdict = Verdict::kReady;
  CHECK(PartsOf(test_reports::Widgets(), other).empty());
}

TEST_CASE("In which order versions came to be stored makes no difference",
          "[migrate][fleet_report]") {
  CrdReport other = test_reports::Widgets();
  std::ranges::reverse(other.stored_versions);
  CHECK(PartsOf(test_reports::Widgets(), other).empty());
}

TEST_CASE("It is told in which parts CRDs differ", "[migrate][fleet_report]") {
  const CrdReport widgets = test_reports::Widgets();
  CrdReport other = widgets;
  other.stored_versions = {"v1"};
  CHECK(PartsOf(widgets, other) == Names{"stored versions"});
  other.preserve_unknown_fields = false;
  CHECK(PartsOf(widgets, other) == Names{"preserveUnknownFields", "stored versions"});
  other = widgets;
  other.versions.pop_back();
  other.served_versions = {"v1"};
  other.storage_version = "v1beta1";
  CHECK(PartsOf(widgets, other) == Names{"storage version", "versions", "served versions"});
}

TEST_CASE("Schemas that keep the same fields are told from others", "[migrate][fleet_report]") {
  FleetCluster one = Cluster("a", {test_reports::Widgets()});
  FleetCluster other = Cluster("b", {test_reports::Widgets()});
  CrdSchemas& schemas = other.schemas["widgets.demo.example.com"];
  one.schemas["widgets.demo.example.com"] = schemas = {.all = 1, .kept_fields = 1};
  CHECK(FindDifferences({one, other}).empty());
  schemas.all = 2;
  CHECK(DifferingParts(FindDifferences({one, other}).at(0)) ==
        Names{"schemas that keep the same fields"});
  schemas.kept_fields = 2;
  CHECK(DifferingParts(FindDifferences({one, other}).at(0)) == Names{"schemas"});
}

TEST_CASE("The form that most clusters have comes first, what is not found last",
          "[migrate][fleet_report]") {
  const CrdReport widgets = test_reports::Widgets();
  CrdReport other = widgets;
  other.stored_versions = {"v1"};
  const auto differences =
      FindDifferences({Cluster("a", {other}), Cluster("b", {widgets}), Cluster("c", {}),
                       Cluster("d", {widgets}), Cluster("e", {}), Cluster("f", {})});
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].name == "widgets.demo.example.com");
  CHECK_FALSE(differences[0].IsOnlyMissing());
  const auto& variants = differences[0].variants;
  REQUIRE(variants.size() == 3);
  CHECK(variants[0].clusters == Names{"b", "d"});
  CHECK(variants[1].clusters == Names{"a"});
  CHECK(variants[2].clusters == Names{"c", "e", "f"});
  CHECK_FALSE(variants[2].is_found);
  CHECK(DifferingParts(differences[0]) == Names{"stored versions", "where it is found"});
}

TEST_CASE("A cluster that was not checked, or not to its end, lacks nothing",
          "[migrate][fleet_report]") {
  const FleetCluster widgets = Cluster("a", {test_reports::Widgets()});
  FleetCluster down = Cluster("b", {});
  down.error = "down";
  FleetCluster stopped = Cluster("c", {});
  stopped.check.not_all_crds_read = true;
  CHECK(FindDifferences({widgets, down, stopped}).empty());
}

TEST_CASE("A CRD that could not be read is neither there nor missing", "[migrate][fleet_report]") {
  CrdReport unread;
  unread.name = "widgets.demo.example.com";
  CHECK(PartsOf(test_reports::Widgets(), unread).empty());
}

TEST_CASE("Of a proposal the CRD counts that the cluster has", "[migrate][fleet_report]") {
  CrdReport proposal = test_reports::Widgets();
  proposal.source = "widgets.yaml";
  CrdReport other = proposal;
  proposal.replaced = {.preserve_unknown_fields = true,
                       .storage_version = "v1beta1",
                       .versions = {"v1beta1"},
                       .served_versions = {"v1beta1"}};
  other.replaced = proposal.replaced;
  CHECK(PartsOf(proposal, other).empty());
  other.replaced->versions = other.replaced->served_versions = {"v1alpha1", "v1beta1"};
  CHECK(PartsOf(proposal, other) == Names{"versions", "served versions"});
  other.replaced.reset();
  const auto differences = FindDifferences({Cluster("a", {proposal}), Cluster("b", {other})});
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].IsOnlyMissing());
  CHECK(differences[0].variants[1].clusters == Names{"b"});
}

TEST_CASE("Several proposals for a CRD stand for one CRD of the cluster",
          "[migrate][fleet_report]") {
  CrdReport widgets = test_reports::Widgets();
  CHECK(FindDifferences({Cluster("a", {widgets, widgets}), Cluster("b", {widgets})}).empty());
}

TEST_CASE("That a CRD is missing can be left out of the differences", "[migrate][fleet_report]") {
  CrdReport other = test_reports::Widgets();
  other.stored_versions = {"v1"};
  const FleetCluster a = Cluster("a", {test_reports::Widgets()}), none = Cluster("none", {});
  auto differences = FindDifferences({a, none});
  REQUIRE(differences.size() == 1);
  ForgetMissing(differences);
  CHECK(differences.empty());
  differences = FindDifferences({a, none, Cluster("b", {other})});
  REQUIRE(differences.at(0).variants.size() == 3);
  ForgetMissing(differences);
  CHECK(differences.at(0).variants.size() == 2);
}

}  // namespace fleet_report_test
}  // namespace migrate::report
