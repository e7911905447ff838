#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "plugin/report/guard_report_json.h"
#include "tests/support/temp_folder.h"

namespace plugin::report {
namespace guard_writers_test {

using migrate::report::CheckReport;
using migrate::report::GuardReport;
using migrate::report::WriterUse;

constexpr char kWidgets[] = "widgets.demo.example.com";

WriterUse Use(const std::string& crd, const std::string& path, const std::string& user,
              std::uint64_t requests, const std::string& last_seen) {
  return {.crd = crd,
          .user = user,
          .manager = "helm",
          .path = path,
          .version = "v1",
          .requests = requests,
          .added = 1,
          .first_seen = "2026-11-25T09:00:00Z",
          .last_seen = last_seen,
          .example_object = "shop/" + user,
          .example_path = path};
}

TEST_CASE("Writers of several reports are counted together", "[plugin][guard_report]") {
  const std::vector<GuardReport> guards = {
      {.writers = {Use(kWidgets, "spec.b", "ann", 2, "2026-11-25T10:00:00Z"),
                   Use("gears.demo.example.com", "spec.b", "ann", 9, "2026-11-25T10:00:00Z")}},
      {.writers = {Use(kWidgets, "spec.a", "bob", 1, "2026-11-25T10:00:00Z"),
                   Use(kWidgets, "spec.b", "ann", 3, "2026-11-25T11:00:00Z")}}};
  CheckReport report;
  report.crds.emplace_back().name = kWidgets;
  report.crds.emplace_back().name = "cogs.demo.example.com";
  AddGuardWriters(guards, report);
  WriterUse sum = Use(kWidgets, "spec.b", "ann", 5, "2026-11-25T11:00:00Z");
  sum.added = 2;
  CHECK(report.crds[0].guard_writers ==
        std::vector<WriterUse>{Use(kWidgets, "spec.a", "bob", 1, "2026-11-25T10:00:00Z"), sum});
  CHECK(report.crds[1].guard_writers.empty());
}

TEST_CASE("A file that is no guard's report is named", "[plugin][guard_report]") {
  const test_support::TempFolder folder;
  const std::string wrong = folder.Write("wrong.json", "{}");
  CHECK_THROWS_WITH(ReadGuardReports({wrong}),
                    "cannot use \"" + wrong +
                        "\" as a guard's report: it is no GuardReport of kubectl-prune/v1alpha1");
  CHECK_THROWS_WITH(
      ReadGuardReports({"/no/such.json"}),
      "cannot read the guard's report: open /no/such.json: no such file or directory");
  CHECK(ReadGuardReports({}).empty());
}

TEST_CASE("A file that is named twice counts once", "[plugin][guard_report]") {
  const test_support::TempFolder folder;
  const std::string file = folder.Write(
      "guard.json", R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"GuardReport","writers":[]})");
  CHECK(ReadGuardReports({file, file}).size() == 1);
}

}  // namespace guard_writers_test
}  // namespace plugin::report
