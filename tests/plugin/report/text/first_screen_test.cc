#include "plugin/report/first_screen.h"

#include <catch2/catch.hpp>

#include "plugin/terminal/terminal.h"
#include "tests/support/test_reports.h"

namespace plugin::report {
namespace first_screen_test {

using migrate::report::CheckReport;
using migrate::report::CrdReport;

const CheckTableOptions kOptions = {.now = test_reports::kNow, .screen = {.width = 80}};

CheckReport AllKinds() {
  return test_reports::Report({test_reports::Certificates(), test_reports::Gadgets(),
                               test_reports::Gizmos(), test_reports::Widgets()});
}

TEST_CASE("A screen begins with what can be lost, and counts what is fine",
          "[plugin][first_screen]") {
  CHECK(PrintFirstScreen(AllKinds(), kOptions) ==
        "3 of 4 CRDs need something: 1 would lose fields (1874 of 2019 objects), 1 is\n"
        "  blocked, 1 is ready for pruning.\n"
        "\n"
        "Begin with widgets.demo.example.com: 1874 lose 2 fields.\n"
        "  kubectl prune check widgets.demo.example.com\n"
        "  kubectl prune suggest widgets.demo.example.com\n"
        "\n"
        "NAME                       VERDICT        WHAT\n"
        "widgets.demo.example.com   loses-fields   1874 lose 2 fields\n"
        "gizmos.demo.example.com    blocked        1 schema problem\n"
        "gadgets.demo.example.com   ready          loses nothing\n"
        "\n"
        "1 other CRD needs nothing.\n"
        "Details: name a CRD, or add --details (-o wide, html or json have all of it,\n"
        "  too).\n");
}

TEST_CASE("A cluster that needs nothing is told so", "[plugin][first_screen]") {
  const CheckReport report = test_reports::Report({test_reports::Certificates()});
  CHECK_THAT(PrintFirstScreen(report, kOptions), Catch::StartsWith("The one CRD needs nothing.\n"));
}

TEST_CASE("A plan takes the place of where to begin, with what is done counted",
          "[plugin][first_screen]") {
  CheckReport report = AllKinds();
  report.steps_done = {{"apply the files", "the cluster has their CRDs"}};
  for (int i = 0; i < 30; ++i)
    report.steps.push_back({"migrate it", "kubectl prune migrate it", ""});
  const std::string screen = PrintFirstScreen(report, kOptions);
  CHECK_THAT(screen, Catch::Contains("\nPlan (30 steps left, 1 done):\n"
                                     "  2. migrate it\n"
                                     "       kubectl prune migrate it\n"
                                     "  3. migrate it\n"));
  CHECK_THAT(screen, Catch::Contains(" more steps (--details, with reasons)\n"));
  CHECK_THAT(screen, !Catch::Contains("Begin with"));
  CHECK(LinesOn(screen, 80) <= kFirstScreenLines);
}

TEST_CASE("Whatever the reports hold fits a screen", "[plugin][first_screen]") {
  CheckReport report;
  for (int i = 0; i < 300; ++i) {
    report.crds.push_back(
        test_reports::Named(test_reports::Widgets(),
                            std::to_string(i) + std::string(static_cast<std::size_t>(i), 'x')));
    report.unknown_kinds.push_back({"v1", std::string(1000, 'k') + std::to_string(i), 1});
  }
  for (int i = 0; i < 5; ++i) {
    report.steps.push_back({std::string(5000, 't'), std::string(5000, 'c'), ""});
  }
  for (const std::size_t width : {40, 80, 120, 200}) {
    CAPTURE(width);
    const CheckTableOptions options = {.now = test_reports::kNow, .screen = {.width = width}};
    CHECK(LinesOn(PrintFirstScreen(report, options), width) <= kFirstScreenLines);
    migrate::report::FleetReport fleet;
    for (int i = 0; i < 20; ++i) {
      fleet.clusters.push_back({.name = "cluster-" + std::to_string(i), .check = report});
    }
    fleet.clusters[3].error = std::string(5000, 'e');
    CHECK(LinesOn(PrintFirstScreen(fleet, options), width) <= kFirstScreenLines);
  }
}

TEST_CASE("Each row of a fleet names its cluster", "[plugin][first_screen]") {
  migrate::report::FleetReport fleet;
  fleet.clusters.push_back({.name = "prod-a", .check = AllKinds()});
  fleet.clusters.push_back({.name = "prod-b", .check = AllKinds()});
  const CheckTableOptions wide = {.now = test_reports::kNow, .screen = {.width = 120}};
  const std::string screen = PrintFirstScreen(fleet, wide);
  CHECK_THAT(screen, Catch::StartsWith("6 of 8 CRDs in 2 clusters need something: "));
  CHECK_THAT(screen, Catch::Contains(
                         "\n  kubectl prune check widgets.demo.example.com --context prod-a\n"));
  CHECK_THAT(screen, Catch::Contains("\nprod-b    widgets.demo.example.com   loses-fields"));
}

TEST_CASE("Lines are counted as a terminal breaks them, without colours",
          "[plugin][first_screen]") {
  CHECK(LinesOn("", 10) == 0);
  CHECK(LinesOn("\n\n", 10) == 2);
  CHECK(LinesOn("0123456789\n", 10) == 1);
  CHECK(LinesOn("0123456789a\n", 10) == 2);
  CHECK(LinesOn("\x1b[31m0123456789\x1b[0m\n", 10) == 1);
}

}  // namespace first_screen_test
}  // namespace plugin::report
