#include "plugin/command/check_output.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "tests/support/test_reports.h"

namespace plugin::command {
namespace {

using migrate::report::CheckReport;
using migrate::report::CrdReport;
using report::FailOn;
using test_reports::Report;

int ExitCode(const CheckReport& report, FailOn fail_on = {}) {
  CheckOptions options;
  options.fail_on = fail_on;
  return PrintCheck(report, options, test_reports::kNow).exit_code;
}

TEST_CASE("E1: The exit code says whether there are findings", "[plugin][check_output]") {
  CHECK(ExitCode(Report({test_reports::Certificates(), test_reports::Gadgets()})) == 0);
  CHECK(ExitCode(Report({test_reports::Certificates(), test_reports::Gizmos()})) == 1);
  CHECK(ExitCode(Report({test_reports::Widgets()})) == 1);
}

TEST_CASE("The flag --fail-on says what a finding is", "[plugin][check_output]") {
  const FailOn none = {.blocked = false, .loses_fields = false, .migration_needed = false};
  FailOn blocked = none, loses_fields = none, migration_needed = none;
  blocked.blocked = loses_fields.loses_fields = migration_needed.migration_needed = true;
  const CheckReport gizmos = Report({test_reports::Gizmos()});
  const CheckReport widgets = Report({test_reports::Widgets()});
  CHECK(ExitCode(gizmos, none) == 0);
  CHECK(ExitCode(gizmos, blocked) == 1);
  CHECK(ExitCode(gizmos, loses_fields) == 0);
  CHECK(ExitCode(widgets, none) == 0);
  CHECK(ExitCode(widgets, blocked) == 0);
  CHECK(ExitCode(widgets, loses_fields) == 1);
  CHECK(ExitCode(widgets, migration_needed) == 1);
  CHECK(ExitCode(gizmos, migration_needed) == 0);
}

TEST_CASE("Objects that pruning makes invalid are found with those that lose fields",
          "[plugin][check_output]") {
  CheckReport report = Report({test_reports::Gadgets()});
  CHECK(ExitCode(report) == 0);
  report.crds[0].versions.at(0).objects_invalid_once_pruned = 1;
  CHECK(ExitCode(report) == 1);
  CHECK(ExitCode(report, {.loses_fields = false}) == 0);
}

TEST_CASE("Objects whose next write is refused are findings of their own",
          "[plugin][check_output]") {
  CheckReport report = Report({test_reports::Gadgets()});
  report.crds[0].versions.at(0).validity.emplace();
  CHECK(ExitCode(report) == 0);
  report.crds[0].versions[0].validity->objects = 1;
  CHECK(ExitCode(report) == 1);
  CHECK(ExitCode(report, {.invalid = false}) == 0);
  CHECK(ExitCode(report, {.blocked = false, .loses_fields = false}) == 1);
}

TEST_CASE("What could not be read is an error whatever --fail-on says", "[plugin][check_output]") {
  const FailOn none = {.blocked = false, .loses_fields = false, .migration_needed = false};
  CHECK(ExitCode(Report({CrdReport()}), none) == 2);
  CheckReport unreadable = Report({test_reports::Widgets()});
  unreadable.file_errors = {"a:1:1: why"};
  CHECK(ExitCode(unreadable) == 2);
  CheckReport report = Report({test_reports::Gadgets()});
  report.crds[0].object_errors = {"a/b: why"};
  CHECK(ExitCode(report, none) == 2);
}

TEST_CASE("A blocked CRD is the finding, whatever becomes of its objects",
          "[plugin][check_output]") {
  CheckReport report = Report({test_reports::Gizmos()});
  report.crds[0].object_errors = {"a/b: why"};
  CHECK(ExitCode(report) == 1);
  CHECK(ExitCode(report, {.blocked = false}) == 2);
}

TEST_CASE("That no CRD was found is not told beside the reason", "[plugin][check_output]") {
  CheckOptions options;
  options.check.filenames = {"bad.yaml"};
  CheckReport report;
  report.file_errors = {"bad.yaml:1:1: why"};
  const report::Output output = PrintCheck(report, options, test_reports::kNow);
  CHECK(output.err == "error: bad.yaml:1:1: why\n");
  CHECK(output.exit_code == 2);
}

TEST_CASE("The report is printed beside errors in files", "[plugin][check_output]") {
  CheckReport report = Report({test_reports::Gadgets()});
  report.file_errors = {"a.yaml:3:7: mapping values", "b\x1B\n: why"};
  const report::Output output = PrintCheck(report, {}, test_reports::kNow);
  CHECK(output.out.starts_with("NAME "));
  CHECK(output.err == "error: a.yaml:3:7: mapping values\nerror: b^[\\n: why\n");
}

TEST_CASE("O3: The flag -o name lists the CRDs", "[plugin][check_output]") {
  CheckOptions options;
  options.output = terminal::OutputFormat::kName;
  const CheckReport report = Report({test_reports::Gadgets(), test_reports::Gizmos()});
  CHECK(PrintCheck(report, options, test_reports::kNow).out ==
        "customresourcedefinition.apiextensions.k8s.io/gadgets.demo.example.com\n"
        "customresourcedefinition.apiextensions.k8s.io/gizmos.demo.example.com\n");
}

TEST_CASE("Why not all could be checked is told beside every output", "[plugin][check_output]") {
  CheckReport report =
      Report({test_reports::Gadgets(), test_reports::Gizmos(), test_reports::Widgets()});
  report.crds[0].verdict = migrate::report::Verdict::kUnknown;
  report.crds[0].error = "widgets is forbidden\x1B";
  report.crds[1].object_errors = {"a/b: why"};
  report.crds[2].verdict = migrate::report::Verdict::kUnknown;
  report.crds[2].error = "interrupted after 1 object";
  report.crds[2].is_interrupted = true;
  CheckOptions options;
  SECTION("in the table itself") {
    CHECK(PrintCheck(report, options, test_reports::kNow).err.empty());
    return;
  }
  SECTION("names") { options.output = terminal::OutputFormat::kName; }
  SECTION("JSON") { options.output = terminal::OutputFormat::kJson; }
  SECTION("rows") { options.no_headers = true; }
  const report::Output output = PrintCheck(report, options, test_reports::kNow);
  CHECK(output.err ==
        "error: gadgets.demo.example.com could not be checked: widgets is forbidden^[\n"
        "error: gizmos.demo.example.com: an object could not be checked: a/b: why\n"
        "interrupted: the objects of 1 CRD were not read\n");
  CHECK(output.exit_code == 2);
}

TEST_CASE("What a report cannot vouch for is told beside names and rows too",
          "[plugin][check_output]") {
  CheckReport report = Report({test_reports::Gadgets()});
  report.object_filter = "namespace \"shop\"";
  CheckOptions options;
  std::string err = "note: not all objects were read, only those of namespace \"shop\"\n";
  SECTION("names") { options.output = terminal::OutputFormat::kName; }
  SECTION("rows") { options.no_headers = true; }
  SECTION("JSON has it in itself") {
    options.output = terminal::OutputFormat::kJson;
    err.clear();
  }
  CHECK(PrintCheck(report, options, test_reports::kNow).err == err);
}

TEST_CASE("O2: The flag -o json prints one document", "[plugin][check_output]") {
  CheckOptions options;
  options.output = terminal::OutputFormat::kJson;
  const report::Output output =
      PrintCheck(Report({test_reports::Certificates()}), options, test_reports::kNow);
  CHECK(output.out.starts_with("{\n    \"apiVersion\": \"kubectl-prune/v1alpha1\",\n"));
  CHECK(output.out.ends_with("\n}\n"));
  CHECK(output.err == "");
}

TEST_CASE("No CRDs in files is an error, unless some are ignored", "[plugin][check_output]") {
  CheckOptions options;
  options.check.filenames = {"-"};
  const report::Output output = PrintCheck({}, options, test_reports::kNow);
  CHECK(output.out == "");
  CHECK(output.err ==
        "error: no CustomResourceDefinitions found; name the files that hold them by -f\n");
  CHECK(output.exit_code == 2);
  options.check.ignored_crds = {"widgets"};
  CHECK(PrintCheck({}, options, test_reports::kNow).exit_code == 0);
}

TEST_CASE("No CRD of files that --crd-selector chooses is an error", "[plugin][check_output]") {
  CheckOptions options;
  options.check.filenames = {"-"};
  options.check.crd_selector = "app=a";
  const report::Output output = PrintCheck({}, options, test_reports::kNow);
  CHECK(output.err ==
        "error: no CustomResourceDefinition of the files is a new one, or one of the cluster that "
        "--crd-selector chooses\n");
  CHECK(output.exit_code == 2);
}

TEST_CASE("A check that was stopped before all CRDs were read does not say that there are none",
          "[plugin][check_output]") {
  CheckOptions options;
  SECTION("of the cluster") {}
  SECTION("of files") { options.check.filenames = {"-"}; }
  CheckReport report;
  report.not_all_crds_read = true;
  const report::Output output = PrintCheck(report, options, test_reports::kNow);
  CHECK(output.err == "error: interrupted: not all CRDs were read\n");
  CHECK(output.exit_code == 2);
}

TEST_CASE("A cluster without CRDs is fine", "[plugin][check_output]") {
  const report::Output output = PrintCheck({}, {}, test_reports::kNow);
  CHECK(output.out == "");
  CHECK(output.err == "No resources found\n");
  CHECK(output.exit_code == 0);
}

}  // namespace
}  // namespace plugin::command
