#include <catch2/catch.hpp>

#include "migrate/migration/storage_migration.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace storage_migrations_test {

using test_support::FakeCluster;
using test_support::FakeFault;
using test_support::FakeStatus;
using test_support::FakeText;

const std::string kResource = R"({"group":"demo.example.com","version":"v1","resource":"widgets"})";

/// A cluster that serves StorageVersionMigrations in one group.
struct Migrating {
  void Answer(const std::string& target, test_support::FakeAnswer answer) {
    cluster.server.AddFault({.target = target, .times = 0, .answer = std::move(answer)});
  }
  void Serve(const std::string& group, const std::string& versions, const std::string& version,
             const std::string& items) {
    for (const char* known : {"storagemigration.k8s.io", "migration.k8s.io"}) {
      Answer(std::string("/apis/") + known,
             known == group ? FakeText(200, "application/json", R"({"versions":)" + versions + "}")
                            : FakeStatus(404, "NotFound", "no such group"));
    }
    Answer("/apis/" + group + "/" + version + "/storageversionmigrations",
           FakeText(200, "application/json", R"({"items":[)" + items + "]}"));
  }
  StorageMigrations FindAll() {
    return FindStorageMigrations("demo.example.com", "widgets", "ours", cluster.client);
  }
  std::string Find() { return FindAll().running; }

  FakeCluster cluster;
};

std::string Item(const std::string& resource, const std::string& conditions = "[]") {
  return R"({"metadata":{"name":"m1"},"spec":{"resource":)" + resource +
         R"(},"status":{"conditions":)" + conditions + "}}";
}

TEST_CASE("A storage migration that has not finished is found in the newest version served",
          "[migrate][engine][storage_migrations]") {
  Migrating migrating;
  const std::string group = GENERATE("storagemigration.k8s.io", "migration.k8s.io");
  migrating.Serve(group, R"([{"version":"v1alpha1"},{"version":"v1beta1"}])", "v1beta1",
                  Item(kResource));
  CHECK(migrating.Find() == "storageversionmigrations." + group + "/m1");
}

TEST_CASE("A storage migration that is over, or of another resource, is none",
          "[migrate][engine][storage_migrations]") {
  Migrating migrating;
  std::string item, expected;
  SECTION("it has succeeded") {
    item = Item(kResource, R"([{"type":"Succeeded","status":"True"}])");
  }
  SECTION("it has failed") { item = Item(kResource, R"([{"type":"Failed","status":"True"}])"); }
  SECTION("of another resource") {
    item = Item(R"({"group":"demo.example.com","resource":"gizmos"})");
  }
  SECTION("of another group") { item = Item(R"({"group":"example.com","resource":"widgets"})"); }
  SECTION("of nothing") { item = R"({"metadata":{"name":"m1"}},7)"; }
  SECTION("but it has only begun") {
    item = Item(kResource, R"([{"type":"Succeeded","status":"False"},
                               {"type":"Running","status":"True"}])");
    expected = "storageversionmigrations.migration.k8s.io/m1";
  }
  migrating.Serve("migration.k8s.io", R"([{"version":"v1alpha1"}])", "v1alpha1", item);
  const StorageMigrations found = migrating.FindAll();
  CHECK(found.running == expected);
  CHECK(found.unknown_because.empty());
}

TEST_CASE("That of a run of ours is no other's", "[migrate][engine][storage_migrations]") {
  Migrating migrating;
  std::string own = Item(kResource);
  own.replace(own.find("m1"), 2, "ours");
  const std::string group = GENERATE("storagemigration.k8s.io", "migration.k8s.io");
  const bool is_in_tree = group == "storagemigration.k8s.io";
  std::string running = is_in_tree ? "" : "storageversionmigrations.migration.k8s.io/ours";
  std::string items = own;
  SECTION("alone") {}
  SECTION("beside another") {
    items += "," + Item(kResource);
    if (is_in_tree) running = "storageversionmigrations.storagemigration.k8s.io/m1";
  }
  migrating.Serve(group, R"([{"version":"v1beta1"}])", "v1beta1", items);
  const StorageMigrations found = migrating.FindAll();
  CHECK(found.has_own == is_in_tree);
  CHECK(found.running == running);
  CHECK(found.in_tree_version == (is_in_tree ? "v1beta1" : ""));
}

TEST_CASE("Storage migrations that cannot be read are none, and it is told why",
          "[migrate][engine][storage_migrations]") {
  Migrating migrating;
  migrating.Serve("migration.k8s.io", R"([{"version":"v1alpha1"}])", "v1alpha1", Item(kResource));
  migrating.Answer("/storageversionmigrations", FakeStatus(403, "Forbidden", "may not list"));
  const StorageMigrations found = migrating.FindAll();
  CHECK(found.running.empty());
  CHECK(found.unknown_because == "Error from server (Forbidden): may not list");
}

}  // namespace storage_migrations_test
}  // namespace migrate::migration
