#include "migrate/migration/storage_migration.h"

#include <catch2/catch.hpp>

namespace migrate::migration {
namespace storage_migration_test {

const MigratedResource kWidgets{.crd_name = "widgets.demo.example.com",
                                .crd_uid = "3f2a",
                                .crd_generation = 7,
                                .group = "demo.example.com",
                                .version = "v1",
                                .plural = "widgets"};

StorageMigration Read(const std::string& text) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  return ReadStorageMigration(document.root());
}

std::string WithStatus(const std::string& status) {
  return R"({"metadata":{"name":"m","uid":"u"},"status":)" + status + "}";
}

// k8s.io/api/storagemigration: v1alpha1 has a resource with a version, v1beta1 and v1 have a
// metav1.GroupResource, in which a server that is strict takes no other field.
TEST_CASE("A StorageVersionMigration is made as its version has it", "[migrate][engine]") {
  const auto [version, resource] = GENERATE(table<std::string, std::string>(
      {{"v1alpha1", R"({"group":"demo.example.com","resource":"widgets","version":"v1"})"},
       {"v1beta1", R"({"group":"demo.example.com","resource":"widgets"})"},
       {"v1", R"({"group":"demo.example.com","resource":"widgets"})"}}));
  CHECK(PrintStorageMigration(kWidgets, version) ==
        R"({"apiVersion":"storagemigration.k8s.io/)" + version +
            R"(","kind":"StorageVersionMigration","metadata":{)"
            R"("annotations":{"kubectl-prune/crd-generation":"7"},)"
            R"("labels":{"app.kubernetes.io/managed-by":"kubectl-prune"},)"
            R"("name":"widgets.demo.example.com-3f2a"},"spec":{"resource":)" +
            resource + "}}");
}

TEST_CASE("What is made is known again as ours", "[migrate][engine]") {
  const StorageMigration read = Read(PrintStorageMigration(kWidgets, "v1"));
  CHECK(read.is_ours);
  CHECK(read.crd_generation == 7);
  CHECK(read.name == NameOfStorageMigration(kWidgets));
  CHECK(read.stage == Stage::kCreated);
  CHECK_FALSE(Read(WithStatus("{}")).is_ours);
}

TEST_CASE("A name fits the longest that an object may have", "[migrate][engine]") {
  MigratedResource resource = kWidgets;
  resource.crd_name = std::string(246, 'a') + ".b.example.com";
  resource.crd_uid = "12345";
  CHECK(NameOfStorageMigration(resource) == std::string(246, 'a') + "-12345");
  CHECK(FullName("m") == "storageversionmigrations.storagemigration.k8s.io/m");
}

// pkg/controller/storageversionmigrator: reasons StorageVersionMigrationInProgress, ...Succeeded
// and ...Failed (1.30 wrote them in lower case with underscores), so that types alone count; 1.36
// runs with the reason MigrationRunning, and takes the condition Running away at the end.
TEST_CASE("The stage is that of the conditions, as every release writes them",
          "[migrate][engine]") {
  const auto [status, stage, message] = GENERATE(table<std::string, Stage, std::string>({
      {"{}", Stage::kCreated, ""},
      {R"({"conditions":[]})", Stage::kCreated, ""},
      {R"({"resourceVersion":"12"})", Stage::kTakenUp, ""},
      {R"({"resourceVersion":"12","conditions":[{"type":"Running","status":"True",
           "reason":"storage_version_migration_in_progress"}]})",
       Stage::kRunning, ""},
      {R"({"conditions":[{"type":"Running","status":"True","reason":"MigrationRunning",
           "message":"The migration is running"}]})",
       Stage::kRunning, "The migration is running"},
      {R"({"resourceVersion":"12","conditions":[{"type":"Running","status":"False"},
           {"type":"Succeeded","status":"True","reason":"StorageVersionMigrationSucceeded"}]})",
       Stage::kSucceeded, ""},
      {R"({"resourceVersion":"12","conditions":[{"type":"Failed","status":"True",
           "message":"resource does not exist in discovery"}]})",
       Stage::kFailed, "resource does not exist in discovery"},
      {R"({"conditions":[{"type":"Failed","status":"False"},{"type":"Other","status":"True"}]})",
       Stage::kCreated, ""},
      {R"({"conditions":[1,null,{"type":"Succeeded"}]})", Stage::kCreated, ""},
      {"7", Stage::kCreated, ""},
  }));
  const StorageMigration read = Read(WithStatus(status));
  CHECK(read.stage == stage);
  CHECK(read.message == message);
}

TEST_CASE("What is no StorageVersionMigration has nothing", "[migrate][engine]") {
  const StorageMigration read = Read(GENERATE("7", "{}", R"({"metadata":3})"));
  CHECK(read.name.empty());
  CHECK(read.uid.empty());
  CHECK(read.stage == Stage::kCreated);
}

}  // namespace storage_migration_test
}  // namespace migrate::migration
