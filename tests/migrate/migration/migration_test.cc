#include "migrate/migration/migration.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <functional>

#include "kube/base/result.h"
#include "tests/migrate/migration/migration_world.h"

namespace migrate::migration {
namespace migration_test {

TEST_CASE("Every object is rewritten, that is verified, and storedVersions are trimmed",
          "[migrate][migration]") {
  Widgets widgets;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.error.empty());
  CHECK(crd.name == kName);
  CHECK(crd.storage_version == "v1");
  CHECK(crd.written_version.empty());
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(crd.counts.Total() == 3);
  CHECK(crd.verified);
  CHECK(crd.stored_before == kBoth);
  CHECK(crd.stored_after == Strings{"v1"});
  CHECK(crd.kept_because.empty());
  CHECK_FALSE(crd.pruning_enabled);
  for (const char* name : {"w0", "w1", "w2"}) CHECK_FALSE(widgets.HasExtra(name));
  CHECK(widgets.StoredVersions() == Strings{"v1"});
  CHECK(widgets.listener.Heard("verified: a second pass over 3 objects rewrote none"));
}

TEST_CASE("A second run rewrites none, from nothing that the first has left",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.MigrateOne();
  CHECK(widgets.StateFiles() == 0);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts[report::ObjectClass::kUnchanged] == 3);
  CHECK(crd.counts.Total() == 3);
  CHECK(crd.stored_after == Strings{"v1"});
  CHECK(crd.kept_because.empty());
}

TEST_CASE("A CRD without objects is migrated too", "[migrate][migration]") {
  Widgets widgets(0);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts.Total() == 0);
  CHECK(crd.verified);
  CHECK(widgets.StoredVersions() == Strings{"v1"});
}

TEST_CASE("A CRD that was made just now is waited for", "[migrate][migration]") {
  const std::string established =
      R"({"status":{"conditions":[{"type":"Established","status":"True"}]}})";
  struct Establishing : Listener {
    void OnLine(const std::string& line) override {
      Listener::OnLine(line);
      if (on_line) on_line();
    }
    std::function<void()> on_line;
  };
  Establishing listener;
  Widgets widgets;
  widgets.cluster.server.PatchCrd(kName, R"({"status":{"conditions":[]}})");
  SECTION("until it is established") {
    listener.on_line = [&] { widgets.cluster.server.PatchCrd(kName, established); };
    const auto crd = Migrate(widgets.options, {widgets.cluster.session(), listener}).crds.at(0);
    CHECK(crd.outcome == report::Outcome::kDone);
    CHECK(widgets.StoredVersions() == Strings{"v1"});
  }
  SECTION("not for ever") {
    const auto crd = Migrate(widgets.options, {widgets.cluster.session(), listener}).crds.at(0);
    CHECK(crd.outcome == report::Outcome::kError);
    CHECK_THAT(crd.error, Contains("the CustomResourceDefinition is not established"));
    CHECK(widgets.cluster.clock.passed() >= std::chrono::seconds(20));
    CHECK(widgets.cluster.clock.passed() < std::chrono::minutes(1));
    CHECK(std::ranges::count(listener.lines,
                             kName + ": it is not established yet; waiting for that") == 1);
  }
  SECTION("not where the run is stopped") {
    std::atomic<bool> stop{false};
    widgets.cluster.run_stop = &stop;
    listener.on_line = [&] { stop = true; };
    const auto crd = Migrate(widgets.options, {widgets.cluster.session(), listener}).crds.at(0);
    CHECK(crd.outcome == report::Outcome::kInterrupted);
    CHECK(widgets.Writes() == 0);
  }
}

TEST_CASE("storedVersions are kept after a run over some objects only", "[migrate][migration]") {
  Widgets widgets;
  std::string why = "only the objects of -n, -l or --field-selector were rewritten";
  SECTION("of a namespace") { widgets.options.objects.namespace_ = "shop"; }
  SECTION("with a label") { widgets.options.objects.label_selector = "app=x"; }
  SECTION("with a field") { widgets.options.objects.field_selector = "metadata.name=w1"; }
  SECTION("of --retry-from") {
    widgets.options.crd_names = {};
    widgets.options.retried = {
        {{kName, "shop", "w0"}, {kName, "shop", "w1"}, {kName, "shop", "w2"}}};
    why = "only the objects of --retry-from were rewritten";
  }
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.kept_because == why);
  CHECK(crd.stored_after == kBoth);
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("A selection rewrites just what it names", "[migrate][migration]") {
  Widgets widgets;
  SECTION("a field selector") { widgets.options.objects.field_selector = "metadata.name=w1"; }
  SECTION("--retry-from, also of other CRDs") {
    widgets.options.crd_names = {};
    widgets.options.retried = {{{kName, "shop", "w1"}}};
  }
  CHECK(widgets.MigrateOne().counts.Total() == 1);
  CHECK(widgets.HasExtra("w0"));
  CHECK_FALSE(widgets.HasExtra("w1"));
  CHECK(widgets.StateFiles() == 0);
}

TEST_CASE("storedVersions are kept after a run with a failure, which is named",
          "[migrate][migration]") {
  Widgets widgets;
  FakeFault fault;
  fault.answer = FakeStatus(422, "Invalid", "spec.a: Invalid value");
  widgets.FailWrites("/widgets/w1", fault);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 2);
  CHECK(crd.counts[report::ObjectClass::kInvalid] == 1);
  CHECK(crd.counts.Total() == 3);
  REQUIRE(crd.failures.size() == 1);
  CHECK(crd.failures[0].name == "w1");
  CHECK_FALSE(crd.verified);
  CHECK(crd.kept_because == "some objects were not rewritten");
  CHECK(widgets.StoredVersions() == kBoth);
  CHECK(widgets.StateFiles() == 0);  // the next run tries it again
}

TEST_CASE("An object whose namespace was removed from under it has failed, and is stored as before",
          "[migrate][migration]") {
  Widgets widgets;
  FakeFault fault;
  fault.answer = FakeStatus(404, "NotFound", "namespaces \"shop\" not found");
  widgets.FailWrites("/widgets/w1", fault);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.counts[report::ObjectClass::kFailed] == 1);
  CHECK(crd.counts[report::ObjectClass::kGone] == 0);
  REQUIRE(crd.failures.size() == 1);
  CHECK(crd.failures[0].message == "namespaces \"shop\" not found");
  CHECK(widgets.HasExtra("w1"));
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("storedVersions are kept where nothing was verified", "[migrate][migration]") {
  Widgets widgets;
  widgets.options.verify = false;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_FALSE(crd.verified);
  CHECK(crd.kept_because == "it was not verified that all objects are rewritten");
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("storedVersions are kept where that was asked for", "[migrate][migration]") {
  Widgets widgets;
  widgets.options.keep_stored_versions = true;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.verified);
  CHECK(crd.kept_because == "--keep-stored-versions");
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("storedVersions are kept where the right to trim them is missing",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.Deny("patch", kCrdResource + "/status");
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_THAT(crd.kept_because, Contains("the right to patch"));
  CHECK(widgets.listener.Heard("Warning: widgets.demo.example.com: status.storedVersions will be"));
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("A trim that fails is told, and is no success", "[migrate][migration]") {
  Widgets widgets;
  FakeFault fault;
  auto& server = widgets.cluster.server;
  report::Outcome outcome = report::Outcome::kFailures;
  std::string why;
  SECTION("the server refuses it") {
    fault.answer = FakeStatus(422, "Invalid", "status is invalid");
    fault.times = 0;
    why = "status.storedVersions could not be trimmed: ";
  }
  SECTION("the CRD is changed just before") {
    fault.before = [&server] { server.PatchCrd(kName, R"({"spec":{"x":1}})"); };
    outcome = report::Outcome::kError;
    why = "was changed meanwhile";
  }
  fault.target = "/customresourcedefinitions/" + kName + "/status";
  server.AddFault(fault);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == outcome);
  CHECK_THAT(crd.error, Contains(why) && Contains("run the same command again"));
  CHECK_FALSE(crd.kept_because.empty());
  CHECK(crd.verified);
  CHECK(crd.stored_after == kBoth);
}

TEST_CASE("storedVersions are kept where the CRD was changed meanwhile", "[migrate][migration]") {
  Widgets widgets;
  FakeFault fault;
  auto& server = widgets.cluster.server;
  std::string why;
  SECTION("anything") {
    fault.before = [&server] { server.PatchCrd(kName, R"({"spec":{"x":1}})"); };
    why = "was changed meanwhile";
  }
  SECTION("pruning was turned off") {
    fault.before = [&server] {
      server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
    };
    why = "spec.preserveUnknownFields was turned on meanwhile";
  }
  fault.target = "/widgets/w1";
  server.AddFault(fault);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains(why) && Contains("run the same command again"));
  CHECK(crd.kept_because == "the migration could not go on");
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("storedVersions are kept where passes go on finding objects to rewrite",
          "[migrate][migration]") {
  Widgets widgets;
  FakeFault fault;
  int n = 0;
  // Another writer, each time after ours, by a server that does not prune.
  fault.before = [&widgets, &n] {
    if (widgets.HasExtra("w1")) return;
    widgets.cluster.server.Add(
        FakeObjectText("widgets", "w1", R"({"a":")" + std::to_string(++n) + R"(","extra":true})"));
  };
  widgets.FailWrites("/widgets/w1", fault);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK_FALSE(crd.verified);
  CHECK_THAT(crd.kept_because, Contains("the fourth pass over 3 objects still rewrote 1"));
  CHECK(n == 3);
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("An object that another writer stored unpruned is verified by a later pass",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.AddFault(
      {.target = "/widgets/w1", .first = 2, .before = [&widgets] {
         widgets.cluster.server.Add(FakeObjectText("widgets", "w1", R"({"a":"new","extra":true})"));
       }});
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.verified);
  CHECK(widgets.listener.Heard("the second pass over 3 objects still rewrote 1"));
  CHECK(widgets.listener.Heard("verified: a third pass over 3 objects rewrote none"));
  CHECK_FALSE(widgets.HasExtra("w1"));
  CHECK(widgets.StoredVersions() == Strings{"v1"});
}

TEST_CASE("An object that fails in the verifying pass keeps it from being verified",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.AddFault({.target = "/widgets/w1",
                                   .first = 2,
                                   .times = 0,
                                   .answer = FakeStatus(403, "Forbidden", "no longer")});
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK_FALSE(crd.verified);
  REQUIRE(crd.failures.size() == 1);
  CHECK(crd.failures[0].name == "w1");
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);  // it was, in the first pass
  CHECK(widgets.StoredVersions() == kBoth);
}

TEST_CASE("An interrupted run is reported, and the next one goes on", "[migrate][migration]") {
  Widgets widgets(40);
  widgets.options.pace.concurrency = 1;
  std::atomic<bool> stop{false};
  widgets.cluster.run_stop = &stop;
  widgets.cluster.server.AddFault({.target = "/widgets/w5", .before = [&stop] { stop = true; }});
  const report::CrdMigration first = widgets.MigrateOne();
  CHECK(first.outcome == report::Outcome::kInterrupted);
  CHECK(first.counts[report::ObjectClass::kNotTried] > 0);
  CHECK(first.counts.Total() == 40);
  CHECK(first.kept_because == "the migration was interrupted");
  CHECK(widgets.StoredVersions() == kBoth);

  stop = false;
  const std::size_t before = widgets.Writes();
  const report::CrdMigration second = widgets.MigrateOne();
  CHECK(widgets.listener.Heard("going on where an earlier run has ended"));
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.counts[report::ObjectClass::kRewritten] == 40);
  CHECK(second.counts.Total() == 40);
  CHECK(second.stored_before == kBoth);
  CHECK(widgets.StoredVersions() == Strings{"v1"});
  // What was left, the verifying pass, and the trim.
  CHECK(widgets.Writes() - before == first.counts[report::ObjectClass::kNotTried] + 40 + 1);
}

TEST_CASE("What an interrupted run has left is no good for a CRD that was changed since",
          "[migrate][migration]") {
  Widgets widgets(40);
  std::atomic<bool> stop{false};
  widgets.cluster.run_stop = &stop;
  widgets.cluster.server.AddFault({.target = "/widgets/w5", .before = [&stop] { stop = true; }});
  widgets.MigrateOne();
  stop = false;
  widgets.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})");
  const std::size_t before = widgets.Writes();
  const report::CrdMigration second = widgets.MigrateOne();
  CHECK_FALSE(widgets.listener.Heard("going on where"));
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(widgets.Writes() - before == 40 + 40 + 1);
}

TEST_CASE("A dry run or a run over some objects leaves an interrupted one alone",
          "[migrate][migration]") {
  Widgets widgets(40);
  std::atomic<bool> stop{false};
  widgets.cluster.run_stop = &stop;
  widgets.cluster.server.AddFault({.target = "/widgets/w5", .before = [&stop] { stop = true; }});
  widgets.MigrateOne();
  stop = false;
  const std::size_t files = widgets.StateFiles();
  REQUIRE(files > 0);
  MigrationOptions other = widgets.options;
  SECTION("a dry run by the server") { other.dry_run = report::DryRun::kServer; }
  SECTION("a dry run by the client") { other.dry_run = report::DryRun::kClient; }
  SECTION("one namespace") { other.objects.namespace_ = "shop"; }
  const report::MigrationReport report =
      Migrate(other, {widgets.cluster.session(), widgets.listener});
  CHECK(report.crds.at(0).counts.Total() == 40);
  CHECK(widgets.StateFiles() == files);
  widgets.MigrateOne();
  CHECK(widgets.listener.Heard("going on where an earlier run has ended"));
}

TEST_CASE("A run that is stopped at once migrates nothing", "[migrate][migration]") {
  Widgets widgets;
  const std::atomic<bool> stop{true};
  widgets.cluster.run_stop = &stop;
  for (const report::CrdMigration& crd : widgets.MigrateAll().crds) {
    CHECK(crd.outcome == report::Outcome::kInterrupted);
  }
  CHECK(widgets.Writes() == 0);
}

TEST_CASE("A dry run by the client counts, and writes nothing", "[migrate][migration]") {
  Widgets widgets;
  widgets.options.dry_run = report::DryRun::kClient;
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.dry_run == report::DryRun::kClient);
  CHECK(crd.counts[report::ObjectClass::kNotTried] == 3);
  CHECK(crd.counts.Total() == 3);
  CHECK(crd.kept_because == "nothing is written in a dry run");
  CHECK(std::ranges::count(widgets.cluster.server.requests(), "PATCH",
                           &kube::client::HttpRequest::method) == 0);
  CHECK(widgets.StateFiles() == 0);
}

TEST_CASE("A dry run by the server sends every object with dryRun=All", "[migrate][migration]") {
  Widgets widgets;
  widgets.options.dry_run = report::DryRun::kServer;
  FakeFault fault;
  fault.answer = FakeStatus(422, "Invalid", "spec.a: Invalid value");
  widgets.FailWrites("/widgets/w1", fault);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.counts[report::ObjectClass::kAccepted] == 2);
  CHECK(crd.counts[report::ObjectClass::kInvalid] == 1);
  CHECK(widgets.Writes() == 0);
  CHECK(widgets.HasExtra("w0"));
  CHECK(widgets.StoredVersions() == kBoth);
  CHECK(widgets.StateFiles() == 0);
}

TEST_CASE("What the preflight refuses is not touched", "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("--enable-pruning"));
  CHECK(widgets.Writes() == 0);
}

TEST_CASE("What fails for one CRD does not keep the others from being migrated",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.Add(FakeCrdText("gizmos", kPreserves));
  widgets.cluster.server.Add(FakeCrdText("gadgets"));
  widgets.options.crd_names = {"widgets", "gizmos", "gadgets"};
  const report::MigrationReport report = widgets.MigrateAll();
  REQUIRE(report.crds.size() == 3);
  CHECK(report.crds[0].name == "gadgets.demo.example.com");
  CHECK(report.crds[0].outcome == report::Outcome::kDone);
  CHECK(report.crds[1].name == "gizmos.demo.example.com");
  CHECK(report.crds[1].outcome == report::Outcome::kError);
  CHECK(report.crds[2].name == kName);
  CHECK(report.crds[2].counts[report::ObjectClass::kRewritten] == 3);
}

TEST_CASE("The flag --all migrates what has several stored versions", "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.Add(FakeCrdText("gizmos"));
  widgets.cluster.server.Add(FakeCrdText("gadgets", kPreserves));
  widgets.options.crd_names = {};
  widgets.options.all = true;
  const report::MigrationReport report = widgets.MigrateAll();
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].name == kName);
  CHECK(widgets.listener.Heard("note: gadgets.demo.example.com is left out: unknown fields are"));
  widgets.cluster.server.Add(FakeCrdText("gears", kPreserves));
  CHECK(widgets.MigrateAll().crds.empty());
  const report::MigrationReport two = widgets.MigrateAll();
  CHECK(widgets.listener.Heard("note: gadgets.demo.example.com and 1 more are left out: unknown"));
  REQUIRE(two.left_out.size() == 2);
  CHECK(two.left_out[0].name == "gadgets.demo.example.com");
  CHECK(two.left_out[1].name == "gears.demo.example.com");
  CHECK(two.left_out[1].reason == report::LeftOutReason::kPreserves);
  widgets.cluster.server.PatchCrd("gadgets.demo.example.com",
                                  R"({"status":{"storedVersions":["v1beta1","v1"]}})");
  const report::MigrationReport refused = widgets.MigrateAll();
  REQUIRE(refused.crds.size() == 1);
  CHECK(refused.crds[0].name == "gadgets.demo.example.com");
  CHECK(refused.crds[0].outcome == report::Outcome::kError);
  CHECK_THAT(refused.crds[0].error, Catch::StartsWith("it preserves unknown fields"));
}

TEST_CASE("A name that no CRD answers to is an error, and nothing is written",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.options.crd_names = {"widgets", "gizmos"};
  CHECK_THROWS_WITH(widgets.MigrateAll(), Contains("gizmos"));
  CHECK(widgets.Writes() == 0);
}

TEST_CASE("Who may not patch objects updates them one by one", "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.Deny("patch", kName);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(std::ranges::any_of(widgets.cluster.server.requests(),
                            [](const auto& request) { return request.method == "PUT"; }));
}

TEST_CASE("Two runs do not migrate one CRD at the same time", "[migrate][migration]") {
  Widgets widgets;
  widgets.MigrateOne();
  fs::path folder;
  for (const auto& cluster : fs::directory_iterator(widgets.state.path())) {
    for (const auto& crd : fs::directory_iterator(cluster.path())) folder = crd.path();
  }
  CHECK(folder.parent_path().filename() == "11111111-0000-4000-8000-000000000001");
  const rewrite::StateFolder other(widgets.state.path(), folder.parent_path().filename(),
                                   folder.filename(), kName);
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("another migration"));
}

TEST_CASE("Objects of a version that is not served are written in one that is",
          "[migrate][migration]") {
  Widgets widgets;
  widgets.cluster.server.PatchCrd(kName, R"({"spec":{"versions":[
      {"name":"v1","served":false,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
      {"name":"v1beta1","served":true,"storage":false,
       "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  const report::CrdMigration crd = widgets.MigrateOne();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.written_version == "v1beta1");
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(widgets.listener.Heard("the storage version v1 is not served"));
}

}  // namespace migration_test
}  // namespace migrate::migration
