#include "plugin/report/first_screen.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "plugin/report/check_summary.h"
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
  CheckTableOptions options = kOptions;
  options.scope = " --context=staging";
  CHECK(PrintFirstScreen(AllKinds(), options) ==
        "3 of 4 CRDs need something: 1 would lose fields (1874 of 2019 objects), 1 is\n"
        "  blocked, 1 can have pruning turned on.\n"
        "\n"
        "Begin with widgets.demo.example.com: 1874 of 2000 objects lose 2 fields.\n"
        "  kubectl prune check widgets.demo.example.com --context=staging\n"
        "  kubectl prune suggest widgets.demo.example.com --context=staging\n"
        "\n"
        "NAME                       VERDICT        OBJECTS   WHAT                 NEXT\n"
        "widgets.demo.example.com   loses-fields   2000      1874 lose 2 fields   suggest\n"
        "gizmos.demo.example.com    blocked        12        1 schema problem     suggest\n"
        "gadgets.demo.example.com   ready          7         loses nothing        migrate\n"
        "\n"
        "1 other CRD needs nothing.\n"
        "Details: name a CRD, or add --details (-o wide, html or json have all of it,\n"
        "  too).\n");
}

TEST_CASE("A cluster that needs nothing is told so", "[plugin][first_screen]") {
  const CheckReport report = test_reports::Report({test_reports::Certificates()});
  CHECK_THAT(PrintFirstScreen(report, kOptions), Catch::StartsWith("The one CRD needs nothing.\n"));
}

TEST_CASE("What was not read comes before the answer", "[plugin][first_screen]") {
  CheckReport report = test_reports::Report(
      {test_reports::Certificates(), test_reports::Named(test_reports::Certificates(), "b")});
  report.file_errors = {"broken.yaml:1: no"};
  CHECK_THAT(PrintFirstScreen(report, kOptions),
             Catch::StartsWith("Some of the input could not be read (see the errors): what was not "
                               "read may lose\n  fields\n"
                               "None of the 2 CRDs that could be read needs anything.\n"));
  migrate::report::FleetReport fleet;
  fleet.clusters.push_back({.name = "a", .error = "refused"});
  fleet.clusters.push_back({.name = "b", .check = test_reports::Report({test_reports::Widgets()})});
  CHECK_THAT(PrintFirstScreen(fleet, kOptions),
             Catch::StartsWith("1 of 2 clusters could not be checked.\n"
                               "1 of 1 CRD in 1 cluster needs something: "));
  fleet.clusters.pop_back();
  CHECK_THAT(PrintFirstScreen(fleet, kOptions), !Catch::Contains("needs"));
}

TEST_CASE("A CRD without checked objects is not offered pruning", "[plugin][first_screen]") {
  CrdReport crd = test_reports::Gadgets();
  crd.objects_skipped = true;
  const std::string screen = PrintFirstScreen(test_reports::Report({crd}), kOptions);
  CHECK_THAT(screen, Catch::Contains("1 was checked without all its objects"));
  CHECK_THAT(screen, !Catch::Contains("--enable-pruning"));
  CheckReport some = test_reports::Report({test_reports::Gadgets()});
  some.object_filter = "namespace \"shop\"";
  CHECK_THAT(PrintFirstScreen(some, kOptions), !Catch::Contains("--enable-pruning"));
}

/// A CRD for each reason to look at one, the worst first.
std::vector<CrdReport> EachNeed() {
  std::vector<CrdReport> crds;
  const auto add = [&crds](CrdReport crd) -> CrdReport& {
    crds.push_back(test_reports::Named(std::move(crd), "n" + std::to_string(crds.size()) + ".g"));
    return crds.back();
  };
  const CrdReport fine = test_reports::Certificates();
  add(test_reports::Widgets());
  CrdReport& drops = add(fine);
  drops.replaced.emplace().converts_by_webhook = true;
  drops.migration_needed = true;
  add(fine).versions.emplace_back().objects_invalid_once_pruned = 3;
  add(test_reports::Gizmos());
  add(fine).verdict = migrate::report::Verdict::kUnknown;
  CrdReport& invalid = add(fine);
  invalid.versions.emplace_back().validity.emplace().objects = 2;
  CrdReport& files = add(fine);
  files.file_objects.emplace().objects_losing_fields = 4;
  CrdReport& changes = add(fine);
  migrate::report::ChangeUse& change = changes.changes.emplace().changes.emplace_back();
  change.breaking = true;
  change.objects = 5;
  add(fine).guard_writers.emplace_back();
  CrdReport& stored = add(fine);
  stored.migration_needed = true;
  for (int i = 0; i < 3000; ++i) stored.stored_versions.push_back("v" + std::to_string(i));
  add(fine).unfit_managed_fields.emplace_back();
  add(test_reports::Gadgets()).objects_skipped = true;
  add(test_reports::Gadgets());
  return crds;
}

TEST_CASE("Each reason to look at a CRD has its place, and fits", "[plugin][first_screen]") {
  const std::vector<CrdReport> crds = EachNeed();
  CheckReport report = test_reports::Report(crds);
  std::reverse(report.crds.begin(), report.crds.end());
  const std::string screen = PrintFirstScreen(report, kOptions);
  CAPTURE(screen);
  std::size_t at = 0;
  for (const CrdReport& crd : crds) {
    CAPTURE(crd.name);
    const std::size_t row = screen.find("\n" + crd.name + " ", at);
    REQUIRE(row != screen.npos);
    at = row;
  }
  CHECK(LinesOn(screen, 80) <= kFirstScreenLines);
  for (const CrdReport& crd : crds) {
    CAPTURE(crd.name);
    CHECK(LinesOn(PrintFirstScreen(test_reports::Report({crd}), kOptions), 80) <=
          kFirstScreenLines);
  }
}

TEST_CASE("What counts for the exit code never needs nothing", "[plugin][first_screen]") {
  for (const CrdReport& crd : EachNeed()) {
    CAPTURE(crd.name);
    const std::string screen = PrintFirstScreen(test_reports::Report({crd}), kOptions);
    if (IsFinding(crd, {.migration_needed = true})) {
      CHECK_THAT(screen, Catch::StartsWith("1 of 1 CRD needs something: "));
    }
  }
}

TEST_CASE("Losses that are blocked, too, are told as both", "[plugin][first_screen]") {
  CrdReport crd = test_reports::Widgets();
  crd.verdict = migrate::report::Verdict::kBlocked;
  CHECK_THAT(PrintFirstScreen(test_reports::Report({crd}), kOptions),
             Catch::StartsWith(
                 "1 of 1 CRD needs something: 1 would lose fields (1874 of 2000 objects; 1 of\n"
                 "  these CRDs is blocked, too).\n"));
}

TEST_CASE("CRDs of one name are told apart by their files", "[plugin][first_screen]") {
  CrdReport one = test_reports::Gizmos(), other = test_reports::Gizmos();
  one.source = "a.yaml";
  other.source = "b.yaml";
  const CheckTableOptions options = {
      .now = test_reports::kNow, .screen = {.width = 120}, .scope = " --local -f x"};
  const std::string screen = PrintFirstScreen(test_reports::Report({one, other}), options);
  CHECK_THAT(screen, Catch::Contains("\ngizmos.demo.example.com (b.yaml) "));
  CHECK_THAT(screen, Catch::Contains("Begin with gizmos.demo.example.com of a.yaml: "));
  CHECK_THAT(screen,
             Catch::Contains("  kubectl prune suggest gizmos.demo.example.com --local -f x\n"));
}

TEST_CASE("Of a plan the first steps are shown, and what is done is counted",
          "[plugin][first_screen]") {
  CheckReport report = AllKinds();
  report.steps_done = {{"apply the files", "the cluster has their CRDs"}};
  for (int i = 0; i < 30; ++i)
    report.steps.push_back({"migrate it", "kubectl prune migrate it", "", "it answers", "", 119.5});
  const std::string screen = PrintFirstScreen(report, kOptions);
  CHECK_THAT(
      screen,
      Catch::Contains("\nBegin with widgets.demo.example.com: 1874 of 2000 objects lose 2 fields.\n"
                      "\nPlan (30 steps left, 1 done):\n"
                      "  2. migrate it, about 120 s\n"
                      "       before: it answers\n"
                      "       kubectl prune migrate it\n"
                      "  3. migrate it, about 120 s\n"));
  CHECK_THAT(screen, Catch::Contains(" more steps (--details, with reasons)\n"));
  CHECK(LinesOn(screen, 80) <= kFirstScreenLines);
}

TEST_CASE("Whatever the reports hold fits a screen", "[plugin][first_screen]") {
  CheckReport report;
  for (int i = 0; i < 300; ++i) {
    report.crds.push_back(
        test_reports::Named(test_reports::Widgets(),
                            std::string(static_cast<std::size_t>(i), 'x') + std::to_string(i)));
    report.crds.back().objects_losing_fields += static_cast<std::uint64_t>(i);
    report.unknown_kinds.push_back({"v1", std::string(1000, 'k') + std::to_string(i), 1});
  }
  CheckReport with_plan = report;
  for (int i = 0; i < 5; ++i) {
    with_plan.steps.push_back({.title = std::string(5000, 't'),
                               .command = std::string(5000, 'c'),
                               .reason = "",
                               .needs = std::string(5000, 'n')});
  }
  migrate::report::FleetReport fleet;
  for (int i = 0; i < 20; ++i) {
    fleet.clusters.push_back({.name = std::string(200, 'c') + std::to_string(i), .check = report});
  }
  fleet.clusters[3].error = std::string(5000, 'e');
  for (const std::size_t width : {40, 80, 120, 200}) {
    CAPTURE(width);
    const CheckTableOptions options = {.now = test_reports::kNow, .screen = {.width = width}};
    CHECK(LinesOn(PrintFirstScreen(report, options), width) <= kFirstScreenLines);
    CHECK(LinesOn(PrintFirstScreen(with_plan, options), width) <= kFirstScreenLines);
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
