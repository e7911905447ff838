// Which objects Migrate() holds after pruning is on: those of which the backup may not have all.
#include <catch2/catch.hpp>

#include "tests/migrate/migration/pruning_world.h"

namespace migrate::migration {
namespace migration_pruning_test {

TEST_CASE("An object that the backup does not have as it was last written stays held",
          "[migrate][migration][migration_held]") {
  Preserved preserved;
  preserved.WriteBehindBackup();
  const report::CrdMigration first = preserved.Migrate();
  REQUIRE(preserved.is_written);
  CHECK(first.outcome == report::Outcome::kFailures);
  CHECK(first.counts[report::ObjectClass::kHeld] == 1);
  CHECK(first.counts[report::ObjectClass::kRewritten] == 2);
  REQUIRE(first.failures.size() == 1);
  CHECK(first.failures[0].name == "w1");
  CHECK(first.kept_because == "some objects are held");
  CHECK(preserved.StoredVersions() == 2);
  CHECK(preserved.HasExtra("w1"));

  MigrationOptions& options = preserved.options;
  SECTION("by the next run") {
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.counts[report::ObjectClass::kHeld] == 1);
    CHECK(again.counts[report::ObjectClass::kUnchanged] == 2);
    CHECK(preserved.HasExtra("w1"));
    CHECK(preserved.StoredVersions() == 2);
  }
  SECTION("by a run without --enable-pruning") {
    options.enable_pruning = false;
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("by a run over some objects") {
    options.enable_pruning = false;
    options.objects.namespace_ = "shop";
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("by --retry-from") {
    options.enable_pruning = false;
    options.crd_names = {};
    options.retried = {{{kName, "shop", "w1"}}};
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("by --no-backup") {
    options.pruning.no_backup = true;
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("where it may no longer be known which cluster it is") {
    preserved.AnswerForCluster(test_support::FakeStatus(403, "Forbidden", "no"));
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("where the cluster cannot be told for the moment, as nothing is done then") {
    preserved.AnswerForCluster(test_support::FakeStatus(500, "InternalError", "etcd is down"));
    CHECK_THROWS_WITH(preserved.Migrate(), Contains("kube-system") && Contains("etcd is down"));
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("also where the CRD was changed since") {
    preserved.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})");
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("but not with --rewrite-unbacked") {
    options.pruning.rewrite_unbacked = true;
    const report::CrdMigration last = preserved.Migrate();
    CHECK(last.outcome == report::Outcome::kDone);
    CHECK(last.counts[report::ObjectClass::kRewritten] == 1);
    CHECK_FALSE(preserved.HasExtra("w1"));
    CHECK(preserved.StoredVersions() == 1);
  }
}

/// A run without the state of the run that was `preserved.Migrate()`, by the report of it.
void RetryElsewhere(Preserved& preserved, const report::CrdMigration& report) {
  MigrationOptions& options = preserved.options;
  options.enable_pruning = false;
  options.crd_names = {};
  options.retried.emplace();
  for (const report::ObjectFailure& failure : report.failures) {
    options.retried->push_back({report.name, failure.namespace_, failure.name,
                                failure.object_class == report::ObjectClass::kHeld});
  }
  options.state_dir = fs::path(preserved.folder.path()) / "elsewhere";
}

TEST_CASE("What a report names as held stays held where there is no state of that run",
          "[migrate][migration][migration_held]") {
  Preserved preserved;
  preserved.WriteBehindBackup();
  const report::CrdMigration first = preserved.Migrate();
  REQUIRE(first.counts[report::ObjectClass::kHeld] == 1);
  RetryElsewhere(preserved, first);
  MigrationOptions& options = preserved.options;

  SECTION("alone") {
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.outcome == report::Outcome::kFailures);
    CHECK(again.counts[report::ObjectClass::kHeld] == 1);
    CHECK(again.counts.Total() == 1);
    REQUIRE(again.failures.size() == 1);
    CHECK_THAT(again.failures[0].message,
               Contains("--state-dir") && Contains("--rewrite-unbacked"));
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("and is not taken for accepted by a dry run") {
    options.dry_run = report::DryRun::kServer;
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
  }
  SECTION("while the others are rewritten") {
    preserved.Write("w0", "again");
    options.retried->push_back({kName, "shop", "w0"});
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.counts[report::ObjectClass::kHeld] == 1);
    CHECK(again.counts[report::ObjectClass::kRewritten] == 1);
    CHECK_FALSE(preserved.HasExtra("w0"));
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("but not with --rewrite-unbacked") {
    options.pruning.rewrite_unbacked = true;
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.outcome == report::Outcome::kDone);
    CHECK(again.counts[report::ObjectClass::kRewritten] == 1);
    CHECK_FALSE(preserved.HasExtra("w1"));
  }
  SECTION("but not where that state tells that it was written since") {
    options.state_dir = fs::path(preserved.folder.path()) / "state";
    SECTION("not yet") {
      const report::CrdMigration again = preserved.Migrate();
      REQUIRE(again.failures.size() == 1);
      CHECK(again.failures[0].object_class == report::ObjectClass::kHeld);
      CHECK_THAT(again.failures[0].message, Contains("after the backup"));
    }
    SECTION("now") {
      preserved.Write("w1", "much later");
      const report::CrdMigration again = preserved.Migrate();
      CHECK(again.outcome == report::Outcome::kDone);
      CHECK(again.counts[report::ObjectClass::kHeld] == 0);
      CHECK(again.counts.Total() == 1);
    }
  }
}

TEST_CASE("A flip by others that changes the schemas too holds what is not in the backup",
          "[migrate][migration][migration_held]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.cluster.server.Add(FakeObjectText("widgets", "plain", R"({"a":"1"})"));
  std::atomic<bool> stop{false};
  preserved.cluster.run_stop = &stop;
  preserved.cluster.server.AddFault(
      {.target = "/customresourcedefinitions/" + kName, .times = 0, .before = [&] {
         if (!preserved.Prunes()) stop = preserved.HasFinishedBackup();
       }});
  REQUIRE(preserved.Migrate().outcome == report::Outcome::kInterrupted);
  stop = false;
  preserved.cluster.server.PatchCrd(kName,
                                    preserved.PatchWithoutA(R"("preserveUnknownFields":false,)"));
  SECTION("for the same command") {}
  SECTION("for a run over some objects") {
    preserved.options.enable_pruning = false;
    preserved.options.objects.namespace_ = "shop";
  }
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.counts[report::ObjectClass::kHeld] == 1);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK_FALSE(preserved.HasExtra("w1"));
  const auto* plain = preserved.cluster.server.Stored(kName, "shop/plain");
  CHECK(plain->Find("spec")->Find("a") != nullptr);
}

TEST_CASE("A schema that only lets more values be valid holds no object",
          "[migrate][migration][migration_held]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.cluster.server.Add(FakeObjectText("widgets", "plain", R"({"a":"1"})"));
  preserved.InterruptAfterPruningOn();
  std::string versions = kube::json::Print(*preserved.Crd().Find("spec")->Find("versions"));
  const std::string schema = R"("openAPIV3Schema":{)";
  versions.insert(versions.find(schema) + schema.size(), R"("description":"looser",)");
  preserved.cluster.server.PatchCrd(kName, R"({"spec":{"versions":)" + versions + "}}");
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts.Total() == 4);
  CHECK(crd.counts[report::ObjectClass::kHeld] == 0);
  for (const char* name : {"w0", "w1", "w2"}) CHECK_FALSE(preserved.HasExtra(name));
}

}  // namespace migration_pruning_test
}  // namespace migrate::migration
