#include "plugin/command/migration_summary.h"

#include <catch2/catch.hpp>

#include "plugin/command/fleet_migration.h"

namespace plugin::command {
namespace fleet_migration_output_test {

using Catch::Matchers::Contains;
using migrate::report::CrdMigration;
using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;
using migrate::report::ObjectClass;
using migrate::report::Outcome;

CrdMigration Crd(const std::string& name, Outcome outcome) {
  CrdMigration crd;
  crd.name = name;
  crd.outcome = outcome;
  crd.counts[ObjectClass::kRewritten] = 2;
  crd.stored_before = {"v1beta1", "v1"};
  crd.stored_after = {"v1"};
  if (outcome != Outcome::kFailures) return crd;
  crd.counts[ObjectClass::kInvalid] = 1;
  crd.failures = {{.namespace_ = "shop",
                   .name = "a",
                   .object_class = ObjectClass::kInvalid,
                   .code = 422,
                   .reason = "Invalid",
                   .message = "spec: bad"}};
  return crd;
}

MigratedCluster Migrated(const std::string& name, CrdMigration crd, int exit_code) {
  MigratedCluster cluster{.name = name, .exit_code = exit_code};
  cluster.migration.crds.push_back(std::move(crd));
  return cluster;
}

FleetMigrationReport Fleet() {
  FleetMigrationReport report;
  report.clusters = {Migrated("a", Crd("widgets", Outcome::kDone), 0),
                     Migrated("b", Crd("widgets", Outcome::kFailures), 1),
                     {.name = "c", .error = "it is down", .exit_code = 2},
                     {.name = "d", .same_as = "a"},
                     {.name = "e"},
                     {.name = "f", .error = "interrupted", .is_interrupted = true, .exit_code = 2}};
  return report;
}

report::Output Print(terminal::OutputFormat format) {
  MigrateOptions options;
  options.output = format;
  return PrintFleetMigration(Fleet(), options);
}

TEST_CASE("One table has every CRD of every cluster, and each without one",
          "[plugin][fleet_migration_output]") {
  const auto output = Print(terminal::OutputFormat::kTable);
  CHECK(output.out ==
        "CLUSTER   NAME        OUTCOME       STORED-VERSIONS    OBJECTS\n"
        "a         widgets     done          v1beta1,v1 -> v1   2 objects: 2 rewritten\n"
        "b         widgets     failures      v1beta1,v1 -> v1   3 objects: 2 rewritten, 1 invalid\n"
        "c         <unknown>   error         <none>             <none>\n"
        "d         <none>      same as a     <none>             <none>\n"
        "e         <none>      done          <none>             <none>\n"
        "f         <unknown>   interrupted   <none>             <none>\n");
  CHECK(output.exit_code == 2);
}

TEST_CASE("Each line on stderr says of which cluster it is", "[plugin][fleet_migration_output]") {
  const std::string err = Print(terminal::OutputFormat::kTable).err;
  CHECK_THAT(err,
             Contains("b: widgets: 1 object was not migrated:\nb:   shop/a: invalid: spec: bad\n"
                      "b: Next: fix what the messages name"));
  CHECK_THAT(err, Contains("migrate widgets --retry-failed --context=b\n"));
  CHECK_THAT(err, Contains("\nc: error: the cluster could not be migrated: it is down\n"));
  CHECK_THAT(err, Contains("\ne: Nothing to migrate\n"));
  CHECK_THAT(err, Contains("\ninterrupted before they were migrated: f\n"));
}

TEST_CASE("A name is printed of what is done wherever it was tried",
          "[plugin][fleet_migration_output]") {
  FleetMigrationReport report = Fleet();
  report.clusters[0].migration.crds.push_back(Crd("gadgets", Outcome::kDone));
  MigrateOptions options;
  options.output = terminal::OutputFormat::kName;
  CHECK(PrintFleetMigration(report, options).out ==
        "customresourcedefinition.apiextensions.k8s.io/gadgets\n");
}

TEST_CASE("The report has that of each cluster", "[plugin][fleet_migration_output]") {
  const auto output = Print(terminal::OutputFormat::kJson);
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(output.out));
  const auto clusters = document.root().Find("clusters")->elements();
  REQUIRE(clusters.size() == 6);
  CHECK(clusters[0].Find("report")->FindText("kind") == "MigrationReport");
  CHECK(clusters[2].FindText("error") == "it is down");
  CHECK(clusters[3].FindText("sameAs") == "a");
  CHECK(document.root().Find("summary")->Find("listed")->text() == "5");
  CHECK(output.err.find("shop/a") == std::string::npos);
}

TEST_CASE("Pages have a section for each CRD of each cluster", "[plugin][fleet_migration_output]") {
  const std::string out = Print(terminal::OutputFormat::kMarkdown).out;
  CHECK_THAT(out, Contains("a / widgets"));
  CHECK_THAT(out, Contains("3 of 5 clusters not wholly migrated"));
  CHECK_THAT(out, Contains("it is down"));
}

TEST_CASE("A template that fails does not hide what was done", "[plugin][fleet_migration_output]") {
  MigrateOptions options;
  options.output = terminal::OutputFormat::kTemplate;
  options.output_template.text = "{.nothing}";
  options.output_template.allow_missing_keys = false;
  const auto output = PrintFleetMigration(Fleet(), options);
  CHECK(output.out.empty());
  CHECK_THAT(output.err, Contains("2 objects: 2 rewritten"));
  CHECK_THAT(output.err, Contains("error: "));
  CHECK(output.exit_code == 2);
}

TEST_CASE("Each cluster has a folder of its own below that of all backups",
          "[plugin][fleet_migration_output]") {
  MigrateOptions options;
  CHECK(OptionsOfCluster(options, "prod-a").migration.pruning.backup_dir ==
        "kubectl-prune-backup/prod-a");
  options.migration.pruning.backup_dir = "/var/b";
  const MigrateOptions own = OptionsOfCluster(options, "eu/prod");
  CHECK(own.migration.pruning.backup_dir == "/var/b/eu%2Fprod");
  CHECK(own.common.connection.context == "eu/prod");
}

}  // namespace fleet_migration_output_test
}  // namespace plugin::command
