#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>

#include "migrate/migration/migration.h"
#include "migrate/migration/storage_migration.h"
#include "tests/support/fake_engine.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
namespace migration_engine_test {

using Catch::Matchers::Contains;
using report::Engine;
using report::EngineEnd;
using report::ObjectClass;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeEngine;
using test_support::FakeFault;
using test_support::FakeObjectText;
using test_support::FakeStatus;
using Strings = std::vector<std::string>;

const std::string kName = "widgets.demo.example.com";
const std::string kCrdResource = "customresourcedefinitions.apiextensions.k8s.io";
const Strings kWidgets = {"w0", "w1", "w2"};

class Listener : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }
  bool Heard(const std::string& text) const {
    return std::ranges::any_of(lines,
                               [&text](const auto& line) { return line.find(text) != line.npos; });
  }

  Strings lines;
};

/// Three widgets that were stored before, and an engine of which a test says what it does.
struct Widgets {
  Widgets() : engine((AddCrd(cluster), cluster)) {
    for (const std::string& name : kWidgets) {
      cluster.server.Add(FakeObjectText("widgets", name, R"({"a":"1","extra":true})"));
    }
    options.crd_names = {"widgets"};
    options.engine = Engine::kAuto;
    options.state_dir = state.path();
    cluster.run_stop = &stop;
  }
  static void AddCrd(FakeCluster& cluster) {
    cluster.server.Add(FakeCrdText("widgets"));
    cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1beta1","v1"]}})");
  }

  report::CrdMigration Migrate() {
    report::MigrationReport report = migration::Migrate(options, {cluster.session(), listener});
    REQUIRE(report.crds.size() == 1);
    return report.crds[0];
  }
  /// At the n-th look the engine has rewritten these, and says so.
  void Succeed(int look, const Strings& widgets) {
    engine.At(look, [this, widgets] {
      for (const std::string& widget : widgets) engine.Rewrite(widget);
      engine.SetCondition("Succeeded");
    });
  }
  std::size_t Made() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(cluster.server.requests(), [](const auto& request) {
          return request.method == "POST" && request.target.ends_with("storageversionmigrations");
        }));
  }
  std::size_t Patches() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(cluster.server.requests(), [](const auto& request) {
          return request.method == "PATCH" &&
                 request.target.find("/widgets/w") != std::string::npos;
        }));
  }
  bool IsClean() const {
    return std::ranges::all_of(kWidgets, [this](const std::string& name) {
      return cluster.server.Stored(kName, "shop/" + name)->Find("spec")->Find("extra") == nullptr;
    });
  }

  FakeCluster cluster;
  FakeEngine engine;
  test_support::TempFolder state;
  MigrationOptions options;
  Listener listener;
  std::atomic<bool> stop = false;
};

TEST_CASE("Where the cluster rewrites the objects we verify all of them by one pass",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.options.engine = GENERATE(Engine::kAuto, Engine::kInCluster);
  widgets.Succeed(3, kWidgets);
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.error.empty());
  REQUIRE(crd.engine);
  CHECK(crd.engine->end == EngineEnd::kSucceeded);
  CHECK(crd.engine->not_rewritten == 0);
  CHECK(crd.counts[ObjectClass::kUnchanged] == 3);
  CHECK(crd.verified);
  CHECK(crd.stored_after == Strings{"v1"});
  CHECK(widgets.Patches() == 3);
  CHECK(widgets.listener.Heard("verified: a pass over 3 objects rewrote none"));
  CHECK_FALSE(widgets.engine.Exists());
  CHECK_FALSE(widgets.listener.Heard("Warning"));
}

TEST_CASE("A success that is none is found, fixed and told", "[migrate][engine][migration]") {
  Widgets widgets;
  Strings rewritten;
  std::string told =
      "the cluster's own engine says that it has rewritten all objects, but 3 of "
      "3 objects were not; they are now";
  SECTION("of all objects") {}
  SECTION("of one object") {
    rewritten = {"w0", "w2"};
    told.replace(told.find("3 of"), 1, "1");
  }
  widgets.Succeed(3, rewritten);
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.engine->end == EngineEnd::kSucceeded);
  CHECK(crd.engine->not_rewritten == 3 - rewritten.size());
  CHECK(crd.counts[ObjectClass::kRewritten] == 3 - rewritten.size());
  CHECK(crd.verified);
  CHECK(widgets.IsClean());
  CHECK(crd.stored_after == Strings{"v1"});
  CHECK(widgets.listener.Heard("Warning: " + kName + ": " + told));
  CHECK(widgets.listener.Heard("verified: a second pass over 3 objects rewrote none"));
}

TEST_CASE("What others write meanwhile is nobody's lie", "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.Succeed(3, kWidgets);
  widgets.cluster.server.AddFault({.target = "/widgets/w1", .before = [&] {
                                     test_support::WriteFakeObject(widgets.cluster.server,
                                                                   "widgets", "w1", R"({"a":"2"})");
                                   }});
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.engine->not_rewritten == 0);
  CHECK(crd.verified);
}

TEST_CASE("Where the cluster does not do it we do, and say why", "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.options.engine = GENERATE(Engine::kAuto, Engine::kInCluster);
  EngineEnd end = EngineEnd::kFailed;
  std::string why = "no such thing";
  SECTION("it has failed") {
    widgets.engine.At(3, [&] { widgets.engine.SetCondition("Failed", "no such thing"); });
  }
  SECTION("it is stuck") {
    end = EngineEnd::kStuck;
    why = "nothing of it has changed for 300 s";
    widgets.engine.At(3, [&] { widgets.engine.SetCondition("Running"); });
  }
  SECTION("nobody takes it up") {
    end = EngineEnd::kIgnored;
    why = "nobody has taken it up for 60 s";
  }
  SECTION("somebody deletes it midway") {
    end = EngineEnd::kDeleted;
    why = "somebody has deleted it";
    widgets.engine.At(4, [&] { widgets.engine.Delete(); });
  }
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.engine->end == end);
  CHECK_THAT(crd.engine->reason, Contains(why));
  CHECK(crd.counts[ObjectClass::kRewritten] == 3);
  CHECK(crd.verified);
  CHECK(widgets.IsClean());
  CHECK_FALSE(widgets.engine.Exists());
  CHECK(widgets.listener.Heard("Warning: " + kName +
                               ": the cluster's own engine has not rewritten the objects: " + why));
}

TEST_CASE("Where nobody takes one up no other is made for the next CRD",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.cluster.server.Add(FakeCrdText("gizmos"));
  widgets.cluster.server.PatchCrd("gizmos.demo.example.com",
                                  R"({"status":{"storedVersions":["v1beta1","v1"]}})");
  widgets.options.crd_names = {"widgets", "gizmos"};
  widgets.options.dry_run = report::DryRun::kNone;
  const report::MigrationReport report =
      Migrate(widgets.options, {widgets.cluster.session(), widgets.listener});
  REQUIRE(report.crds.size() == 2);
  for (const report::CrdMigration& crd : report.crds) CHECK(crd.verified);
  CHECK(std::ranges::count(report.crds, EngineEnd::kIgnored,
                           [](const auto& crd) { return crd.engine->end; }) >= 1);
}

TEST_CASE("A CRD that goes while the cluster works on it ends the run",
          "[migrate][engine][migration]") {
  Widgets widgets;
  std::string why;
  SECTION("it is deleted") {
    widgets.engine.At(3, [&] { widgets.cluster.server.Delete(kCrdResource, kName); });
    why = "the CustomResourceDefinition was deleted";
  }
  SECTION("its storage version moves") {
    widgets.engine.At(3, [&] {
      widgets.cluster.server.PatchCrd(kName, R"({"spec":{"versions":[
          {"name":"v1beta1","served":true,"storage":true,
           "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
    });
    why = "storage version";
  }
  const std::string name = widgets.engine.name();
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains(why));
  CHECK(crd.engine->end == EngineEnd::kCrdChanged);
  CHECK(widgets.cluster.server.Stored(widgets.engine.resource, name) == nullptr);
  CHECK(widgets.Patches() == 0);
}

TEST_CASE("After a signal the cluster goes on, and the next run follows it",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.engine.At(4, [&] { widgets.stop = true; });
  const report::CrdMigration first = widgets.Migrate();
  CHECK(first.outcome == report::Outcome::kInterrupted);
  CHECK_THAT(first.error, Contains("the cluster goes on with storageversionmigrations."
                                   "storagemigration.k8s.io/" +
                                   widgets.engine.name()));
  CHECK(widgets.engine.Exists());
  CHECK(widgets.Patches() == 0);

  widgets.stop = false;
  widgets.Succeed(7, kWidgets);
  const report::CrdMigration second = widgets.Migrate();
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.engine->end == EngineEnd::kSucceeded);
  CHECK(second.engine->not_rewritten == 0);
  CHECK(widgets.listener.Heard("which an earlier run has made"));
  CHECK(widgets.Made() == 1);
  CHECK_FALSE(widgets.engine.Exists());
}

TEST_CASE("A signal while it is verified keeps what is known for the next run",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.Succeed(3, kWidgets);
  widgets.cluster.server.AddFault(
      {.target = "/widgets/w1", .before = [&] { widgets.stop = true; }});
  CHECK(widgets.Migrate().outcome == report::Outcome::kInterrupted);
  CHECK(widgets.engine.Exists());

  widgets.stop = false;
  const report::CrdMigration second = widgets.Migrate();
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.engine->end == EngineEnd::kSucceeded);
  CHECK(second.verified);
  CHECK(second.counts.Total() == 3);
  CHECK(widgets.Made() == 1);
  CHECK_FALSE(widgets.engine.Exists());
}

TEST_CASE("A run that does not use the cluster's own engine ends what an earlier one has begun",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.engine.At(4, [&] { widgets.stop = true; });
  widgets.Migrate();
  widgets.stop = false;
  widgets.options.engine = Engine::kOwn;
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.engine->end == EngineEnd::kNotUsed);
  CHECK(crd.engine->reason == "--engine=own");
  CHECK(crd.counts[ObjectClass::kRewritten] == 3);
  CHECK_FALSE(widgets.engine.Exists());
}

TEST_CASE("What we have to do ourselves is not left to the cluster",
          "[migrate][engine][migration]") {
  Widgets widgets;
  std::string why;
  SECTION("by a flag") {
    widgets.options.engine = Engine::kOwn;
    why = "--engine=own";
  }
  SECTION("some objects") {
    widgets.options.objects.namespace_ = "shop";
    why = "only some are to be";
  }
  SECTION("a rate") {
    widgets.options.pace.max_rate = 1000;
    why = "--max-rate";
  }
  SECTION("a proof that everything is pruned") {
    widgets.cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1"]}})");
    why = "only pruning is to be proven";
  }
  SECTION("without the right") {
    const std::string verb = GENERATE("create", "get", "delete");
    widgets.cluster.server.Deny(verb, widgets.engine.resource);
    why = "the right to " + verb + " " + widgets.engine.resource + " is missing";
  }
  SECTION("entries of managedFields that a write may empty") {
    widgets.cluster.server.Add(
        R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{"namespace":"shop",)"
        R"("name":"w3","managedFields":[{"manager":"m","operation":"Update","apiVersion":)"
        R"("demo.example.com/v0","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]},"spec":{}})");
    widgets.options.dry_run = report::DryRun::kClient;
    why = "managedFields of 1 object may be emptied by a write";
  }
  SECTION("a dry run of every write") {
    widgets.options.dry_run = report::DryRun::kServer;
    why = "it makes no dry run";
  }
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.engine->end == EngineEnd::kNotUsed);
  CHECK_THAT(crd.engine->reason, Contains(why));
  CHECK(widgets.Made() == 0);
  CHECK_FALSE(widgets.listener.Heard("Warning"));
}

TEST_CASE("Turning pruning on is ours from the first to the last object",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
  widgets.options.enable_pruning = true;
  widgets.options.pruning.no_backup = true;
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.pruning_enabled);
  CHECK_THAT(crd.engine->reason, Contains("pruning is turned on"));
  CHECK(widgets.Made() == 0);
}

TEST_CASE("Where --engine=in-cluster cannot be nothing is written",
          "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.options.engine = Engine::kInCluster;
  std::string why;
  SECTION("there is no such API") {
    widgets.cluster.server.Delete(kCrdResource, widgets.engine.resource);
    why = "the server has no engine of its own";
  }
  SECTION("a right is missing") {
    widgets.cluster.server.Deny("create", widgets.engine.resource);
    why = "the right to create " + widgets.engine.resource + " is missing; ask for it";
  }
  SECTION("the storage version is not served") {
    widgets.cluster.server.PatchCrd(kName, R"({"spec":{"versions":[
        {"name":"v1","served":false,"storage":true,
         "schema":{"openAPIV3Schema":{"type":"object"}}},
        {"name":"v1beta1","served":true,"storage":false,
         "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
    why = "the storage version is not served; leave --engine=in-cluster out";
  }
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains(why));
  CHECK(widgets.Patches() == 0);
  CHECK(widgets.Made() == 0);
}

TEST_CASE("A dry run says that the cluster would do it", "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.options.dry_run = report::DryRun::kClient;
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.engine->end == EngineEnd::kForeseen);
  CHECK(widgets.Made() == 0);
  CHECK(widgets.listener.Heard("the cluster's own engine would rewrite the objects"));
}

TEST_CASE("Without such an API nothing is told of it", "[migrate][engine][migration]") {
  Widgets widgets;
  widgets.cluster.server.Delete(kCrdResource, widgets.engine.resource);
  const report::CrdMigration crd = widgets.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_FALSE(crd.engine);
}

}  // namespace migration_engine_test
}  // namespace migrate::migration
