// Migrate() from a CRD that preserves unknown fields to one whose objects are clean.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "kube/base/file_text.h"
#include "tests/migrate/migration/pruning_world.h"

namespace migrate::migration {
namespace migration_pruning_test {

TEST_CASE("A question that is declined, or nobody is asked, leaves nothing behind",
          "[migrate][migration]") {
  Preserved world;
  SECTION("declined") { world.person.agrees = false; }
  SECTION("nobody is there") { world.person.is_there = false; }
  CHECK(world.Migrate().outcome == report::Outcome::kError);
  for (const auto& entry : fs::recursive_directory_iterator(world.options.state_dir)) {
    CHECK(entry.path().extension() != ".json");
  }
}

TEST_CASE("managedFields that were emptied before the flip are named by who goes on behind it",
          "[migrate][migration]") {
  Preserved preserved;
  preserved.cluster.server.EmptyManagedFields();
  std::string owned = FakeObjectText("widgets", "w0", R"({"a":"1","extra":true})");
  owned.insert(owned.find(R"("namespace")"),
               R"("managedFields":[{"manager":"m","operation":"Apply","apiVersion":)"
               R"("demo.example.com/v1alpha1","fieldsType":"FieldsV1",)"
               R"("fieldsV1":{"f:spec":{"f:a":{}}}}],)");
  preserved.cluster.server.Add(owned);
  preserved.options.cleaning = cluster::Cleaning::kNever;
  preserved.InterruptAfterPruningOn();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.verified);
  CHECK(crd.managed_fields_emptied == std::set<std::string>{"shop/w0"});
}

TEST_CASE("Pruning is turned on, and every object is clean afterwards",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.error.empty());
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.pruning_enabled);
  CHECK(preserved.person.asked == 1);
  REQUIRE(crd.before_pruning);
  CHECK(crd.before_pruning->Total() == 3);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(crd.counts.Total() == 3);
  CHECK(crd.verified);
  CHECK(fs::exists(crd.backup));
  CHECK(preserved.Prunes());
  CHECK(preserved.StoredVersions() == 1);
  for (const char* name : {"w0", "w1", "w2"}) CHECK_FALSE(preserved.HasExtra(name));
}

TEST_CASE("What a run was foretold to take, and whether it was agreed to, is reported",
          "[migrate][migration][migration_pruning]") {
  Preserved world;
  SECTION("done") {}
  SECTION("a dry run asks nobody") { world.options.dry_run = report::DryRun::kClient; }
  SECTION("declined") { world.person.agrees = false; }
  const report::CrdMigration done = world.Migrate();
  REQUIRE(done.foretold_loss);
  CHECK(done.foretold_loss->objects == 3);
  CHECK(done.foretold_loss->objects_losing_fields == 3);
  // The storage version specifies spec.a alone.
  REQUIRE(done.foretold_loss->pruned_fields.size() == 2);
  CHECK(done.foretold_loss->pruned_fields[0].path == "spec.b");
  CHECK(done.foretold_loss->pruned_fields[1].path == "spec.extra");
  CHECK(done.foretold_loss->pruned_fields[1].objects == 3);
  CHECK(done.foretold_loss->is_agreed == (world.person.asked > 0 && world.person.agrees));
  // All of it was told, before the question.
  for (const std::string& line : done.foretold_loss->plan) {
    CHECK(std::ranges::find(world.person.lines, line) != world.person.lines.end());
  }
  CHECK_FALSE(done.foretold_loss->plan.empty());
}

TEST_CASE("A run that goes on behind the flip has nothing foretold",
          "[migrate][migration][migration_pruning]") {
  Preserved world;
  world.StoreInOneVersion();
  world.InterruptAfterPruningOn();
  CHECK_FALSE(world.Migrate().foretold_loss);
}

TEST_CASE("The same command again asks nothing and rewrites nothing",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.Migrate();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(preserved.person.asked == 1);
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_FALSE(crd.pruning_enabled);
  CHECK(crd.counts[report::ObjectClass::kUnchanged] == 3);
}

TEST_CASE("Who says no has changed nothing", "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.person.agrees = false;
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_FALSE(preserved.Prunes());
  CHECK_FALSE(preserved.HasBackup());
  CHECK(preserved.HasExtra("w0"));
  CHECK(preserved.StoredVersions() == 2);
}

TEST_CASE("What etcd may hold of a CRD that prunes already is not rewritten without a question",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  preserved.cluster.server.Add(
      R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{"namespace":"shop",)"
      R"("name":"w1","managedFields":[{"manager":"op","apiVersion":"demo.example.com/v1",)"
      R"("fieldsV1":{"f:spec":{"f:a":{},"f:extra":{}}}}]},"spec":{"a":"1","extra":true}})");
  const auto warning = [&] {
    const Strings& lines = preserved.person.lines;
    return std::ranges::count_if(lines, [](const std::string& line) {
      return line.starts_with("Warning: " + kName + ": pruning is on already") &&
             line.find(": .spec.extra (") != line.npos;
    });
  };
  SECTION("no") {
    preserved.person.agrees = false;
    const report::CrdMigration crd = preserved.Migrate();
    CHECK(crd.outcome == report::Outcome::kError);
    CHECK(crd.error == "nothing was rewritten, as that was not confirmed");
    CHECK(preserved.person.asked == 1);
    CHECK(warning() == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("yes") {
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 1);
    CHECK(warning() == 1);
    CHECK_FALSE(preserved.HasExtra("w1"));
    // What was verified is not doubted again, whatever else of the CRD changes.
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    preserved.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})");
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 1);
  }
  SECTION("a dry run only warns") {
    preserved.options.dry_run = GENERATE(report::DryRun::kClient, report::DryRun::kServer);
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 0);
    CHECK(warning() == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("who does not ask for pruning knows that it is on, and is only told") {
    preserved.options.enable_pruning = false;
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 0);
    CHECK(warning() == 1);
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(warning() == 1);  // it is proven now
  }
}

TEST_CASE("A dry run turns nothing on", "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.options.dry_run = GENERATE(report::DryRun::kClient, report::DryRun::kServer);
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.error.empty());
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts.Total() == 3);
  CHECK(preserved.person.asked == 0);
  CHECK_FALSE(crd.pruning_enabled);
  CHECK_FALSE(preserved.Prunes());
  CHECK_FALSE(preserved.HasBackup());
  CHECK_FALSE(fs::exists(preserved.options.state_dir));
  CHECK(preserved.HasExtra("w0"));
}

TEST_CASE(
    "Nothing is turned on where a webhook keeps objects from being written, which a dry run tells "
    "at once too",
    "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.options.pruning.single_pass = true;
  preserved.options.dry_run = GENERATE(report::DryRun::kNone, report::DryRun::kServer);
  FakeFault fault;
  fault.target = "/widgets/w";
  fault.times = 0;
  // apiserver pkg/admission/plugin/webhook/generic: a call that failed, with failurePolicy Fail.
  fault.answer = test_support::FakeStatus(
      500, "InternalError",
      "Internal error occurred: failed calling webhook \"hook.example.com\": connection refused");
  preserved.cluster.server.AddFault(fault);
  const auto start = preserved.cluster.clock.passed();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("turned on, as no object could be rewritten now: ") &&
                            Contains("failed calling webhook \"hook.example.com\""));
  CHECK_FALSE(preserved.Prunes());
  CHECK(preserved.cluster.clock.passed() - start < std::chrono::seconds(10));
}

TEST_CASE("A server that never prunes ends the wait, and nothing is rewritten",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  bool is_stale = true;
  preserved.cluster.server.ServeStale([&is_stale] { return is_stale; });
  const report::CrdMigration first = preserved.Migrate();
  CHECK(first.outcome == report::Outcome::kError);
  CHECK_THAT(first.error, Contains("pruning is on") && Contains("--settle-timeout"));
  CHECK(first.pruning_enabled);
  CHECK(first.counts.Total() == 0);
  CHECK(preserved.Prunes());
  CHECK(preserved.HasExtra("w0"));
  CHECK(preserved.StoredVersions() == 2);

  is_stale = false;
  const report::CrdMigration second = preserved.Migrate();
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(second.backup == first.backup);
  CHECK(second.verified);
  CHECK(preserved.StoredVersions() == 1);
}

TEST_CASE("A run that is stopped behind the flip is gone on with",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  std::atomic<bool> stop{false};
  preserved.cluster.run_stop = &stop;
  FakeFault fault;
  fault.target = "/widgets/w1";
  fault.times = 0;
  fault.before = [&] {
    if (preserved.Prunes()) stop = true;
  };
  preserved.cluster.server.AddFault(fault);
  const report::CrdMigration first = preserved.Migrate();
  CHECK(first.outcome == report::Outcome::kInterrupted);
  CHECK(first.error == "interrupted; pruning is on");
  CHECK(preserved.Prunes());
  CHECK(preserved.StoredVersions() == 2);

  stop = false;
  fault.before = nullptr;
  preserved.cluster.run_stop = nullptr;
  const report::CrdMigration second = preserved.Migrate();
  CHECK(preserved.person.asked == 1);
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(second.counts.Total() == 3);
  CHECK(second.backup == first.backup);
  CHECK(preserved.StoredVersions() == 1);
}

TEST_CASE("Who is interrupted in the rewrite behind the flip is told that pruning is on",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  std::atomic<bool> stop{false};
  preserved.cluster.run_stop = &stop;
  preserved.options.pace.concurrency = 1;
  preserved.cluster.server.AddFault({.target = "/widgets/w1", .times = 0, .before = [&] {
                                       stop = preserved.Prunes() && !preserved.HasExtra("w0");
                                     }});
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kInterrupted);
  CHECK(crd.error == "interrupted; pruning is on");
  CHECK(crd.counts[report::ObjectClass::kRewritten] > 0);
  CHECK(crd.counts[report::ObjectClass::kNotTried] > 0);
}

TEST_CASE("A backup whose objects somebody else had pruned meanwhile is none",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.options.objects.chunk_size = 1;
  bool is_turned_on = false;
  preserved.cluster.server.AddFault({.target = "continue=", .times = 0, .before = [&] {
                                       if (is_turned_on || preserved.person.asked == 0) return;
                                       is_turned_on = true;
                                       preserved.cluster.server.PatchCrd(
                                           kName, R"({"spec":{"preserveUnknownFields":false}})");
                                     }});
  const report::CrdMigration crd = preserved.Migrate();
  REQUIRE(is_turned_on);
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("the backup is thrown away") && Contains("was turned off") &&
                            Contains("without one"));
  CHECK(crd.backup.empty());
  CHECK_FALSE(crd.pruning_enabled);
  CHECK_FALSE(preserved.HasBackup());
  CHECK(preserved.HasExtra("w1"));
  CHECK(preserved.Migrate().backup.empty());
}

TEST_CASE("A backup is made by the schemas of when pruning is turned on",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.cluster.server.Add(FakeObjectText("widgets", "plain", R"({"a":"1"})"));
  preserved.cluster.server.Add(FakeCrdText("gizmos"));
  preserved.options.crd_names = {"gizmos", "widgets"};
  preserved.cluster.server.AddFault(
      {.target = "/v1/gizmos",
       .before = [&] { preserved.cluster.server.PatchCrd(kName, preserved.PatchWithoutA()); }});
  const report::MigrationReport report =
      Migrate(preserved.options, {preserved.cluster.session(), preserved.person});
  REQUIRE(report.crds.size() == 2);
  const report::CrdMigration& widgets = report.crds[1];
  REQUIRE(widgets.name == kName);
  CHECK(widgets.outcome == report::Outcome::kDone);
  const auto backup = kube::base::ReadFileText(widgets.backup);
  REQUIRE(backup);
  CHECK_THAT(*backup, Contains(R"("name":"plain")"));
}

TEST_CASE("A run over all CRDs goes on with one that was interrupted",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.options.crd_names = {};
  preserved.options.all = true;
  preserved.InterruptAfterPruningOn();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK_FALSE(preserved.HasExtra("w1"));
  const report::MigrationReport again =
      Migrate(preserved.options, {preserved.cluster.session(), preserved.person});
  CHECK(again.crds.empty());
}

TEST_CASE("The path of a backup holds in any folder", "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.options.pruning.backup_dir = fs::relative(preserved.options.pruning.backup_dir);
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(fs::path(crd.backup).is_absolute());
  CHECK(fs::exists(crd.backup));
}

TEST_CASE("A change of the CRD before the flip is an error, not a failure of objects",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.cluster.server.AddFault(
      {.target = "/widgets/w1",
       .before = [&preserved] { preserved.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})"); },
       .latency = std::chrono::seconds(15)});
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_FALSE(preserved.Prunes());
  CHECK(preserved.StoredVersions() == 2);
}

TEST_CASE("The flag --all turns pruning on where the schema allows it",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  for (const std::string name : {"gizmos", "gears"}) {
    preserved.cluster.server.Add(FakeCrdText(name, R"(,"preserveUnknownFields":true)"));
    preserved.cluster.server.PatchCrd(
        name + ".demo.example.com",
        R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{
          "openAPIV3Schema":{"type":"object","properties":{"spec":{}}}}}]}})");
  }
  preserved.cluster.server.Add(FakeCrdText("gadgets"));
  preserved.options.crd_names = {};
  preserved.options.all = true;
  const report::MigrationReport report =
      migration::Migrate(preserved.options, {preserved.cluster.session(), preserved.person});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].name == kName);
  CHECK(report.crds[0].outcome == report::Outcome::kDone);
  REQUIRE(report.left_out.size() == 2);
  CHECK(report.left_out[0].name == "gears.demo.example.com");
  CHECK(report.left_out[0].reason == report::LeftOutReason::kBlocked);
  CHECK(std::ranges::count_if(preserved.person.lines, [](const std::string& line) {
          return line.find("left out") != std::string::npos;
        }) == 1);
  CHECK(std::ranges::any_of(preserved.person.lines, [](const std::string& line) {
    return line.starts_with("note: gears.demo.example.com and 1 more are left out: what is wrong");
  }));
}

}  // namespace migration_pruning_test
}  // namespace migrate::migration
