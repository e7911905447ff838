#include <catch2/catch.hpp>

#include "plugin/command/restore_command.h"

namespace plugin::command {
namespace restore_summary_test {

using Catch::Matchers::Contains;
using migrate::report::CrdRestore;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreFailure;
using migrate::report::RestoreReport;

CrdRestore RestoredWidgets() {
  CrdRestore crd;
  crd.name = "widgets.demo.example.com";
  crd.counts[RestoreClass::kRestored] = 12;
  crd.restored = {{"spec.old", 12, "shop/a"}};
  crd.verification = {.read = 12, .as_restored = 11, .changed = 1};
  return crd;
}

report::Output Print(const CrdRestore& crd, const RestoreOptions& options = {}) {
  RestoreReport report;
  report.crds = {crd};
  return PrintRestore(report, options);
}

CrdRestore WithFailures(const std::vector<RestoreFailure>& failures) {
  CrdRestore crd = RestoredWidgets();
  crd.outcome = Outcome::kFailures;
  crd.failures = failures;
  for (const RestoreFailure& failure : failures) ++crd.counts[failure.restore_class];
  return crd;
}

TEST_CASE("A restored CRD is its fields and a line", "[plugin][restore_summary]") {
  const report::Output output = Print(RestoredWidgets());
  CHECK(output.out ==
        "FIELD       OBJECTS   EXAMPLE\n"
        ".spec.old   12        shop/a\n"
        "customresourcedefinition.apiextensions.k8s.io/widgets.demo.example.com restored (12 "
        "objects: 12 restored; 12 read back, 11 as restored, 1 changed by others since)\n");
  CHECK(output.err.empty());
  CHECK(output.exit_code == 0);
}

TEST_CASE("Each kind of failure has a next step", "[plugin][restore_summary]") {
  const RestoreFailure gone{.name = "a", .restore_class = RestoreClass::kGone, .message = "m"};
  RestoreFailure namesake = gone;
  namesake.is_namesake = true;
  RestoreFailure invalid = gone;
  invalid.restore_class = RestoreClass::kInvalid;
  CHECK_THAT(Print(WithFailures({gone})).err,
             Contains("Next: --recreate makes anew") && !Contains("line of the backup"));
  CHECK_THAT(Print(WithFailures({namesake})).err,
             Contains("line of the backup") && !Contains("--recreate"));
  CHECK_THAT(Print(WithFailures({invalid})).err,
             Contains("Next: what is invalid the schema refuses"));
  CHECK(Print(WithFailures({gone})).exit_code == 1);
}

TEST_CASE("Where no object is chosen that is told", "[plugin][restore_summary]") {
  CrdRestore crd;
  crd.name = "widgets.demo.example.com";
  crd.counts[RestoreClass::kNotChosen] = 6;
  CHECK(Print(crd).err == "widgets.demo.example.com: no objects found\n");
  RestoreOptions options;
  options.restore.objects.namespace_ = "shp";
  CHECK(Print(crd, options).err == "widgets.demo.example.com: no objects found in namespace shp\n");
  options.output = terminal::OutputFormat::kJson;
  CHECK(Print(crd, options).err.empty());
}

TEST_CASE("Of an object with very many fields it says how many more there are",
          "[plugin][restore_summary]") {
  CrdRestore crd = RestoredWidgets();
  crd.objects = {{.namespace_ = "shop",
                  .name = "a",
                  .restored = {"spec.a", "spec.b"},
                  .kept = {"spec.c"},
                  .restored_count = 2000,
                  .kept_count = 1}};
  CHECK_THAT(Print(crd).out,
             Contains("a      restored   .spec.a, .spec.b and 1998 more   .spec.c"));
}

TEST_CASE("Of very many objects their fields are listed, unless all is asked for",
          "[plugin][restore_summary]") {
  CrdRestore crd = RestoredWidgets();
  for (int i = 0; i < 41; ++i) {
    crd.objects.push_back({.namespace_ = "",
                           .name = "w" + std::to_string(i),
                           .restored = {"spec.old"},
                           .kept = {},
                           .restored_count = 1,
                           .kept_count = 0});
  }
  CHECK_THAT(Print(crd).out, Contains(".spec.old   12        shop/a\n") && !Contains("w40"));
  CHECK_THAT(Print(crd).err,
             Contains("note: -o wide lists each of the 41 objects of widgets.demo.example.com\n"));
  RestoreOptions options;
  options.output = terminal::OutputFormat::kWide;
  CHECK_THAT(Print(crd, options).out, Contains("w40"));
  CHECK(Print(crd, options).err.empty());
  crd.objects.pop_back();
  CHECK_THAT(Print(crd).out, Contains("w39"));
}

}  // namespace restore_summary_test
}  // namespace plugin::command
