#include <catch2/catch.hpp>

#include "migrate/migration/migration.h"
#include "tests/migrate/migration/migration_world.h"

namespace migrate::migration {
namespace migration_test {

TEST_CASE("What failed in the last run is tried alone by --retry-failed, until it is done",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.AddFault(
      {.target = "/widgets/w1", .answer = FakeStatus(422, "Invalid", "spec.a: Invalid value")});
  CHECK(widgets.MigrateOne().counts[report::ObjectClass::kInvalid] == 1);
  widgets.cluster.server.Add(FakeObjectText("widgets", "new", R"({"a":"1","extra":true})"));

  widgets.options.retry_failed = true;
  SECTION("of a CRD that is named") {}
  SECTION("of all CRDs") {
    widgets.cluster.server.Add(FakeCrdText("gizmos"));
    widgets.options.crd_names = {};
  }
  const report::CrdMigration again = widgets.MigrateOne();
  CHECK(again.outcome == report::Outcome::kDone);
  CHECK(again.counts.Total() == 1);
  CHECK(again.kept_because == "only the objects of --retry-failed were rewritten");
  CHECK_FALSE(widgets.HasExtra("w1"));
  CHECK(widgets.HasExtra("new"));
  CHECK(widgets.MigrateAll().crds.empty());
}

TEST_CASE("What failed is not forgotten by a run that did not try it", "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.AddFault(
      {.target = "/widgets/w1", .answer = FakeStatus(422, "Invalid", "spec.a: Invalid value")});
  CHECK(widgets.MigrateOne().counts[report::ObjectClass::kInvalid] == 1);
  SECTION("a dry run") { widgets.options.dry_run = report::DryRun::kServer; }
  SECTION("over other objects") { widgets.options.objects.field_selector = "metadata.name=w2"; }
  SECTION("that is refused") { widgets.cluster.server.Deny("list", kName); }
  widgets.MigrateOne();
  widgets.options.dry_run = report::DryRun::kNone;
  widgets.options.objects.field_selector = "";
  widgets.options.retry_failed = true;
  CHECK(widgets.MigrateOne().counts.Total() == 1);
}

TEST_CASE("A retry forgets what it tried, and nothing else", "[migrate][migration]") {
  Widgets widgets;
  FakeFault fault;
  fault.answer = FakeStatus(422, "Invalid", "spec.a: Invalid value");
  widgets.FailWrites("/widgets/w1", fault);
  fault.target = "/widgets/w2";
  widgets.cluster.server.AddFault(fault);  // once
  CHECK(widgets.MigrateOne().counts[report::ObjectClass::kInvalid] == 2);
  widgets.options.retried = {{kName, "shop", "w2", /*is_held=*/false}};
  CHECK(widgets.MigrateOne().outcome == report::Outcome::kDone);
  widgets.options.retried.reset();
  widgets.options.retry_failed = true;
  CHECK(widgets.MigrateOne().counts[report::ObjectClass::kInvalid] == 1);
  CHECK(widgets.MigrateOne().counts.Total() == 1);
}

TEST_CASE("Before pruning is on there is nothing to be tried by itself", "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
  widgets.options.retry_failed = true;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error,
             Contains("pruning is not on yet") && Contains("run the same command again"));
  CHECK(widgets.Writes() == 0);
}

TEST_CASE("Where nothing has failed --retry-failed says so of a CRD that is named",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.options.retry_failed = true;
  CHECK(widgets.MigrateAll().crds.empty());
  CHECK(widgets.listener.Heard("note: widgets.demo.example.com: --state-dir tells of no object"));
  CHECK(widgets.Writes() == 0);
}

}  // namespace migration_test
}  // namespace migrate::migration
