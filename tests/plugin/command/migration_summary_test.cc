#include "plugin/command/migration_summary.h"

#include <catch2/catch.hpp>

namespace plugin::command {
namespace {

using Catch::Matchers::Contains;
using migrate::report::CrdMigration;
using migrate::report::DryRun;
using migrate::report::MigrationReport;
using migrate::report::ObjectClass;
using migrate::report::Outcome;

MigrationReport Report(const CrdMigration& crd) { return {.crds = {crd}, .seconds = 0}; }

CrdMigration Migrated() {
  CrdMigration crd;
  crd.name = "widgets.demo.example.com";
  crd.counts[ObjectClass::kRewritten] = 1874;
  crd.counts[ObjectClass::kUnchanged] = 126;
  crd.verified = true;
  crd.stored_before = {"v1beta1", "v1"};
  crd.stored_after = {"v1"};
  return crd;
}

report::Output Print(const CrdMigration& crd,
                     terminal::OutputFormat format = terminal::OutputFormat::kTable) {
  MigrateOptions options;
  options.output = format;
  return PrintMigration(Report(crd), options);
}

TEST_CASE("O3: A CRD that was migrated is one line", "[plugin][migration_summary]") {
  const report::Output output = Print(Migrated());
  CHECK(output.out ==
        "customresourcedefinition.apiextensions.k8s.io/widgets.demo.example.com migrated (2000 "
        "objects: 1874 rewritten, 126 unchanged; storedVersions v1beta1,v1 -> v1)\n");
  CHECK(output.err.empty());
  CHECK(output.exit_code == 0);
}

TEST_CASE("Who has held objects is told what becomes of them", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kFailures;
  crd.failures.push_back({"shop", "a", ObjectClass::kHeld, 0, "", "was written too late"});
  CHECK_THAT(Print(crd).err,
             Contains("Once somebody writes it, a run with the same --state-dir migrates it. ") &&
                 Contains("--rewrite-unbacked rewrites it as it is.\n"));
  crd.failures[0].object_class = ObjectClass::kInvalid;
  CHECK_THAT(Print(crd).err, !Contains("--rewrite-unbacked"));
}

TEST_CASE("Versions that are kept say why", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.stored_after = crd.stored_before;
  crd.kept_because = "--keep-stored-versions";
  CHECK_THAT(Print(crd).out,
             Contains("; storedVersions v1beta1,v1 kept: --keep-stored-versions)\n"));
}

TEST_CASE("O3: A dry run is told as kubectl does", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.stored_after = crd.stored_before;
  crd.kept_because = "nothing is written in a dry run";
  crd.counts = {};
  SECTION("client") {
    crd.dry_run = DryRun::kClient;
    crd.counts[ObjectClass::kNotTried] = 1;
    CHECK(Print(crd).out ==
          "customresourcedefinition.apiextensions.k8s.io/widgets.demo.example.com migrated (1 "
          "object to rewrite; storedVersions v1beta1,v1) (dry run)\n");
  }
  SECTION("server") {
    crd.dry_run = DryRun::kServer;
    crd.counts[ObjectClass::kAccepted] = 3;
    CHECK(Print(crd).out ==
          "customresourcedefinition.apiextensions.k8s.io/widgets.demo.example.com migrated (3 "
          "objects: 3 accepted; storedVersions v1beta1,v1) (server dry run)\n");
  }
}

CrdMigration Failed(int failures) {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kFailures;
  crd.stored_after = crd.stored_before;
  crd.kept_because = "some objects were not rewritten";
  for (int i = 0; i < failures; ++i) {
    crd.failures.push_back({"shop", "w" + std::to_string(i), ObjectClass::kInvalid, 422, "Invalid",
                            "spec.a: Invalid value"});
  }
  crd.counts[ObjectClass::kInvalid] = static_cast<std::uint64_t>(failures);
  return crd;
}

TEST_CASE("Failures are listed, the first twenty of them", "[plugin][migration_summary]") {
  const report::Output output = Print(Failed(25));
  CHECK_THAT(output.out, Contains(" not wholly migrated (2025 objects: 1874 rewritten, 126 "
                                  "unchanged, 25 invalid; storedVersions v1beta1,v1 kept: some "
                                  "objects were not rewritten)\n"));
  CHECK_THAT(output.err, Contains("widgets.demo.example.com: 25 objects were not migrated:\n"
                                  "  shop/w0: invalid: spec.a: Invalid value\n"));
  CHECK_THAT(output.err, Contains("shop/w19") && !Contains("shop/w20") &&
                             Contains("  and 5 more; -o json names all of them\n") &&
                             Contains("try only these by: kubectl prune migrate "
                                      "widgets.demo.example.com --retry-failed\n"));
  CHECK(output.exit_code == 1);
  MigrateOptions options;
  options.migration.state_dir = "/var/a b";
  CHECK_THAT(PrintMigration(Report(Failed(1)), options).err,
             Contains(" --retry-failed --state-dir='/var/a b'\n"));
}

TEST_CASE("What failed before the flip is counted, and not to be tried alone",
          "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kFailures;
  crd.stored_after = crd.stored_before;
  crd.before_pruning = crd.counts;
  crd.counts = {};
  crd.failures.push_back({"shop", "a", ObjectClass::kInvalid, 422, "Invalid", "is invalid"});
  const report::Output output = Print(crd);
  CHECK_THAT(output.out, Contains("not wholly migrated (before pruning: 2000 objects: 1874 "
                                  "rewritten, 126 unchanged; "));
  CHECK_THAT(output.err, !Contains("--retry-f"));
}

TEST_CASE("Where nothing is found that is said as kubectl does", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.counts = {};
  CHECK(Print(crd).err == "widgets.demo.example.com: no objects found\n");
  MigrateOptions options;
  options.migration.objects.namespace_ = "shop";
  CHECK(PrintMigration(Report(crd), options).err ==
        "widgets.demo.example.com: no objects found in namespace shop\n");
  CHECK(Print(crd, terminal::OutputFormat::kJson).err.empty());
}

TEST_CASE("What was not tried does not hide what failed", "[plugin][migration_summary]") {
  CrdMigration crd = Failed(2);
  crd.failures.insert(crd.failures.begin(), 30, {"a", "n", ObjectClass::kNotTried, 0, "", ""});
  CHECK_THAT(Print(crd).err,
             Contains("32 objects were not migrated:\n  shop/w0: invalid: spec.a: Invalid value\n"
                      "  shop/w1: invalid: spec.a: Invalid value\n"
                      "  and 30 more (30 not-tried); -o json names all of them\n"));
  CHECK_THAT(Print(crd, terminal::OutputFormat::kJson).out, Contains(R"("class": "not-tried")"));
}

TEST_CASE("What a server says cannot steer the terminal, nor fill it",
          "[plugin][migration_summary]") {
  CrdMigration crd = Failed(1);
  crd.failures[0].message = "\033[2J" + std::string(1000, 'x') + "\nLAST";
  const std::string err = Print(crd).err;
  CHECK(err.find('\033') == std::string::npos);
  CHECK(err.find("LAST") == std::string::npos);
  CHECK_THAT(err, Contains("xxx...\n"));
}

TEST_CASE("With -o json the report has all, and -o name only what is done",
          "[plugin][migration_summary]") {
  const report::Output json = Print(Failed(25), terminal::OutputFormat::kJson);
  CHECK_THAT(json.out, Contains("\"name\": \"w24\""));
  CHECK(json.err.empty());
  CHECK(json.exit_code == 1);
  CHECK(Print(Failed(25), terminal::OutputFormat::kName).out.empty());
  CHECK(Print(Migrated(), terminal::OutputFormat::kName).out ==
        "customresourcedefinition.apiextensions.k8s.io/widgets.demo.example.com\n");
}

TEST_CASE("An error is told on stderr, and is the exit code 2", "[plugin][migration_summary]") {
  CrdMigration crd;
  crd.name = "widgets.demo.example.com";
  crd.outcome = Outcome::kError;
  crd.error = "it preserves unknown fields";
  for (const terminal::OutputFormat format :
       {terminal::OutputFormat::kTable, terminal::OutputFormat::kYaml}) {
    const report::Output output = Print(crd, format);
    CHECK(output.err == "error: widgets.demo.example.com: it preserves unknown fields\n");
    CHECK(output.exit_code == 2);
  }
  CHECK(Print(crd).out.empty());
}

TEST_CASE("E1: The worst end of several CRDs is the exit code", "[plugin][migration_summary]") {
  CrdMigration error;
  error.outcome = Outcome::kError;
  const MigrationReport report{.crds = {error, Failed(1), Migrated()}, .seconds = 0};
  CHECK(PrintMigration(report, {}).exit_code == 2);
  CHECK(PrintMigration({.crds = {Migrated(), Failed(1)}, .seconds = 0}, {}).exit_code == 1);
  CHECK(PrintMigration({}, {}).exit_code == 0);
}

TEST_CASE("What was interrupted shows how far it came", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kInterrupted;
  crd.counts[ObjectClass::kNotTried] = 10;
  const report::Output output = Print(crd);
  CHECK_THAT(output.out, Contains("10 not-tried"));
  CHECK_THAT(output.err, Contains("interrupted; the same command resumes"));
  crd.error = "interrupted; pruning is on";
  CHECK_THAT(Print(crd).err, Contains("interrupted; pruning is on; the same command resumes\n"));
}

TEST_CASE("An interrupted run of which nothing is kept says so", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kInterrupted;
  crd.begins_anew = true;
  CHECK(Print(crd).err ==
        "widgets.demo.example.com: interrupted; the same command starts from the beginning\n");
}

TEST_CASE("Who has tried what failed is told to migrate all", "[plugin][migration_summary]") {
  const std::string advice =
      "Next: migrate and verify all objects by: kubectl prune migrate widgets.demo.example.com";
  MigrateOptions options;
  SECTION("by a report") { options.retry_from = "report.json"; }
  SECTION("by the state folder") { options.migration.retry_failed = true; }
  CrdMigration crd = Migrated();
  CHECK(PrintMigration(Report(crd), options).err == advice + "\n");
  options.migration.keep_stored_versions = true;
  CHECK(PrintMigration(Report(crd), options).err == advice + " --keep-stored-versions\n");
  crd.dry_run = DryRun::kServer;
  CHECK(PrintMigration(Report(crd), options).err.empty());
  CHECK_THAT(PrintMigration(Report(Failed(1)), options).err, !Contains(advice));
}

TEST_CASE("What was cleaned in managedFields is counted", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  CHECK_THAT(Print(crd).out, !Contains("managedFields"));
  crd.managed_fields_cleaned.emplace();
  CHECK_THAT(Print(crd).out, Contains("; managedFields of 0 objects cleaned; "));
  crd.managed_fields_cleaned = {.objects = 2, .entries = 3};
  CHECK_THAT(Print(crd).out, Contains("; managedFields of 2 objects cleaned (3 entries); "));
  crd.managed_fields_cleaned = {.objects = 1, .entries = 1};
  crd.dry_run = DryRun::kClient;
  CHECK_THAT(Print(crd).out, Contains("; managedFields of 1 object to clean (1 entry); "));
}

TEST_CASE("A webhook that changes objects is named", "[plugin][migration_summary]") {
  CrdMigration crd = Migrated();
  crd.generations_moved = 2;
  CHECK_THAT(Print(crd).err, Contains("the generation of 2 objects moved") &&
                                 Contains("a mutating webhook changes them"));
  crd.stored_before = {"v1beta1", "v1"};
  CHECK_THAT(Print(crd).err, Contains("the storage version has defaults"));
}

}  // namespace
}  // namespace plugin::command
