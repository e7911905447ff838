#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "migrate/migration/migration.h"
#include "tests/migrate/migration/migration_world.h"

namespace migrate::migration {
namespace migration_test {

/// An object with an entry of managedFields of a version that its CRD does not have.
std::string OwnedWidget() {
  std::string text = FakeObjectText("widgets", "w0", R"({"a":"1"})");
  text.insert(
      text.find(R"("namespace")"),
      R"("managedFields":[{"manager":"m","operation":"Apply","apiVersion":)"
      R"("demo.example.com/v1alpha1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:a":{}}}}],)");
  return text;
}

TEST_CASE("managedFields that a write would empty are cleaned", "[migrate][migration]") {
  Widgets widgets(0);
  widgets.cluster.server.EmptyManagedFields();
  widgets.cluster.server.Add(OwnedWidget());
  widgets.options.cleaning = GENERATE(cluster::Cleaning::kAuto, cluster::Cleaning::kAlways);
  for (const report::DryRun dry_run : {report::DryRun::kClient, report::DryRun::kServer}) {
    widgets.options.dry_run = dry_run;
    const report::CrdMigration told = widgets.MigrateOne();
    CHECK(told.outcome == report::Outcome::kDone);
    REQUIRE(told.managed_fields_cleaned);
    CHECK(told.managed_fields_cleaned->objects == 1);
    CHECK(told.managed_fields_cleaned->entries == 1);
    CHECK(widgets.Writes() == 0);
  }
  widgets.options.dry_run = report::DryRun::kNone;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.verified);
  REQUIRE(crd.managed_fields_cleaned);
  CHECK(crd.managed_fields_cleaned->entries == 1);
  CHECK(crd.managed_fields_emptied.empty());
  // Nothing is told of nothing, unless it was asked for.
  const report::CrdMigration again = widgets.MigrateOne();
  const bool is_asked_for = widgets.options.cleaning == cluster::Cleaning::kAlways;
  CHECK(again.managed_fields_cleaned.has_value() == is_asked_for);
}

TEST_CASE("Emptied managedFields stop no run, which is no success all the same",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.EmptyManagedFields();
  widgets.cluster.server.Add(OwnedWidget());
  widgets.options.cleaning = cluster::Cleaning::kNever;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.error.empty());
  CHECK(crd.failures.empty());
  CHECK(crd.verified);
  CHECK_FALSE(crd.managed_fields_cleaned);
  CHECK(crd.managed_fields_emptied == std::set<std::string>{"shop/w0"});
  CHECK(widgets.StoredVersions() == std::vector<std::string>{"v1"});
  CHECK(crd.kept_because.empty());
}

TEST_CASE("Who may not read objects does not keep their managedFields, and is told so",
          "[migrate][migration]") {
  Widgets widgets(0);
  widgets.cluster.server.EmptyManagedFields();
  widgets.cluster.server.Add(OwnedWidget());
  widgets.cluster.server.Deny("get", kName);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.managed_fields_emptied.size() == 1);
  CHECK(widgets.listener.Heard(
      "the right to get widgets.demo.example.com is missing; managedFields that a write empties "
      "are not kept"));
}

}  // namespace migration_test
}  // namespace migrate::migration
