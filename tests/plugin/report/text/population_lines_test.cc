#include "plugin/report/population_lines.h"

#include <catch2/catch.hpp>

namespace plugin::report {
namespace population_lines_test {

using migrate::report::DryRun;
using migrate::report::PopulatedObject;
using migrate::report::PopulationClass;
using migrate::report::PopulationRemark;
using migrate::report::PopulationReport;

PopulatedObject Object(PopulationClass population_class, const std::string& message = "") {
  return {.group = "rbac.authorization.k8s.io",
          .kind = "RoleBinding",
          .namespace_ = "shop",
          .name = "owner",
          .template_name = "owners",
          .population_class = population_class,
          .message = message};
}

TEST_CASE("What was done to an object is a line on stdout, as kubectl apply prints it",
          "[plugin][report]") {
  PopulationReport report;
  report.objects = {Object(PopulationClass::kApplied), Object(PopulationClass::kUnchanged),
                    Object(PopulationClass::kPruned), Object(PopulationClass::kGone)};
  report.objects[0].group = "";
  report.objects[0].kind = "Secret";
  const Output output = PrintPopulation(report);
  CHECK(output.out ==
        "secret/owner serverside-applied in namespace shop\n"
        "rolebinding.rbac.authorization.k8s.io/owner unchanged in namespace shop\n"
        "rolebinding.rbac.authorization.k8s.io/owner pruned in namespace shop\n");
  CHECK(output.err.empty());
  CHECK(output.exit_code == 0);
}

TEST_CASE("A dry run says so on each line", "[plugin][report]") {
  PopulationReport report;
  report.objects = {Object(PopulationClass::kPruned)};
  report.dry_run = DryRun::kClient;
  CHECK(PrintPopulation(report).out ==
        "rolebinding.rbac.authorization.k8s.io/owner pruned in namespace shop (dry run)\n");
  report.dry_run = DryRun::kServer;
  CHECK(PrintPopulation(report).out ==
        "rolebinding.rbac.authorization.k8s.io/owner pruned in namespace shop (server dry run)\n");
}

TEST_CASE("What went wrong is told on stderr, and makes the exit code 1", "[plugin][report]") {
  PopulationReport report;
  SECTION("of an object") {
    report.objects = {Object(PopulationClass::kFailed, "no\x1b[31m"),
                      Object(PopulationClass::kRefused, "it names another namespace, \"b\"")};
    const Output output = PrintPopulation(report);
    CHECK(output.out.empty());
    CHECK(output.err ==
          "error: shop: rolebinding.rbac.authorization.k8s.io/owner of the template owners: "
          "no^[[31m\n"
          "error: shop: rolebinding.rbac.authorization.k8s.io/owner of the template owners is left "
          "out: it names another namespace, \"b\"\n");
    CHECK(output.exit_code == 1);
  }
  SECTION("of all") {
    report.has_errors = true;
    report.remarks = {{.kind = PopulationRemark::Kind::kNote, .text = "a"},
                      {.kind = PopulationRemark::Kind::kWarning, .text = "b"},
                      {.kind = PopulationRemark::Kind::kError, .text = "c"}};
    const Output output = PrintPopulation(report);
    CHECK(output.err == "note: a\nWarning: b\nerror: c\n");
    CHECK(output.exit_code == 1);
  }
  SECTION("of the run") {
    report.is_interrupted = true;
    CHECK(PrintPopulation(report).exit_code == 1);
  }
}

TEST_CASE("What stays, and what was somebody's, is told and is no error", "[plugin][report]") {
  PopulationReport report;
  report.objects = {Object(PopulationClass::kKept, "it is a copy"),
                    Object(PopulationClass::kApplied, "was there already")};
  const Output output = PrintPopulation(report);
  CHECK(output.err ==
        "note: shop: rolebinding.rbac.authorization.k8s.io/owner of the template owners is not "
        "wanted any more, and stays: it is a copy\n"
        "Warning: shop: rolebinding.rbac.authorization.k8s.io/owner of the template owners was "
        "there already\n");
  CHECK(output.exit_code == 0);
}

}  // namespace population_lines_test
}  // namespace plugin::report
