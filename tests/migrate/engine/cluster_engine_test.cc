#include "migrate/migration/cluster_engine.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "tests/support/fake_engine.h"

namespace migrate::migration {
namespace cluster_engine_test {

using report::EngineEnd;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeEngine;
using test_support::FakeFault;
using test_support::FakeStatus;
using Strings = std::vector<std::string>;

const std::string kName = "widgets.demo.example.com";
const std::string kTarget = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + kName;

class Listener : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }

  Strings lines;
};

/// A cluster with the CRD of widgets, and an engine of which a test says what it does.
struct World {
  explicit World(const std::string& version = "v1beta1")
      : engine((cluster.server.Add(FakeCrdText("widgets")), cluster), version) {
    const std::string name = engine.name();
    options.api_version = version;
    options.resource = {.crd_name = kName,
                        .crd_uid = name.substr(kName.size() + 1),
                        .crd_generation = 1,
                        .group = "demo.example.com",
                        .version = "v1",
                        .plural = "widgets"};
    options.crd_target = kTarget;
    cluster.run_stop = &stop;
  }

  ClusterEngine Make() { return {options, {cluster.session(), listener}}; }
  report::EngineFacts Run() { return Make().Run(); }
  /// Makes the one that a run would make, as if an earlier run had.
  void Leave(std::int64_t generation = 1) {
    MigratedResource resource = options.resource;
    resource.crd_generation = generation;
    engine.Make(PrintStorageMigration(resource, options.api_version));
  }
  std::size_t Count(const std::string& method) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(cluster.server.requests(), [&method](const auto& request) {
          return request.method == method &&
                 request.target.find("storageversionmigrations") != std::string::npos;
        }));
  }
  void Answer(const std::string& target, int first, test_support::FakeAnswer answer) {
    cluster.server.AddFault({.target = target, .first = first, .answer = std::move(answer)});
  }

  FakeCluster cluster;
  FakeEngine engine;
  Listener listener;
  std::atomic<bool> stop = false;
  ClusterEngineOptions options;
};

TEST_CASE("A migration is followed to its success, and deleted when that is verified",
          "[migrate][engine]") {
  World world(GENERATE("v1", "v1beta1", "v1alpha1"));
  world.engine.At(3, [&] { world.engine.TakeUp(); });
  world.engine.At(4, [&] { world.engine.SetCondition("Running"); });
  world.engine.At(5, [&] { world.engine.SetCondition("Succeeded"); });
  ClusterEngine engine = world.Make();
  const report::EngineFacts facts = engine.Run();
  CHECK(facts.end == EngineEnd::kSucceeded);
  CHECK(facts.migration ==
        "storageversionmigrations.storagemigration.k8s.io/" + world.engine.name());
  CHECK(facts.reason.empty());
  CHECK(facts.seconds > 0);
  CHECK(world.engine.Exists());
  engine.Remove();
  CHECK_FALSE(world.engine.Exists());
  CHECK(world.Count("POST") == 1);
  CHECK(world.listener.lines ==
        Strings{kName + ": the cluster's own engine is to rewrite the objects (" + facts.migration +
                    ")",
                kName + ": the cluster's own engine is at work",
                kName + ": the cluster's own engine says that it has rewritten all objects; "
                        "verifying that"});
}

TEST_CASE("A failed one ends with its reason, and is deleted", "[migrate][engine]") {
  World world;
  const std::string message =
      GENERATE("", "migration encountered unhandled error: admission webhook denied the request");
  world.engine.At(3, [&] { world.engine.SetCondition("Failed", message); });
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kFailed);
  CHECK(facts.reason == (message.empty() ? "without a reason" : message));
  CHECK_FALSE(world.engine.Exists());
}

TEST_CASE("One that nobody takes up is not waited for longer than a minute", "[migrate][engine]") {
  World world;
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kIgnored);
  CHECK(facts.reason ==
        "nobody has taken it up for 60 s (kube-controller-manager does, with the feature gate "
        "StorageVersionMigrator)");
  CHECK(facts.seconds >= 60);
  CHECK(facts.seconds < 66);
  CHECK_FALSE(world.engine.Exists());
  // Pauses grow from a quarter of a second to five.
  CHECK(world.Count("GET") < 25);
}

TEST_CASE("One in which nothing changes any more is given up", "[migrate][engine]") {
  World world;
  world.options.patience = std::chrono::minutes(5);
  std::string waited = "300 s";
  world.engine.At(3, [&] { world.engine.TakeUp(); });
  SECTION("before it runs") {}
  SECTION("while it runs") {
    world.engine.At(6, [&] { world.engine.SetCondition("Running"); });
  }
  SECTION("while it runs, with so many objects that it may be silent for longer") {
    world.options.objects = 30'000;
    waited = "600 s";
    world.engine.At(6, [&] { world.engine.SetCondition("Running"); });
  }
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kStuck);
  CHECK(facts.reason == "nothing of it has changed for " + waited);
  CHECK_FALSE(world.engine.Exists());
}

TEST_CASE("What changes now and then is alive", "[migrate][engine]") {
  World world;
  world.options.patience = std::chrono::seconds(20);
  world.engine.At(3, [&] { world.engine.TakeUp(); });
  for (int look = 8; look < 40; look += 5) {
    world.engine.At(look,
                    [&, look] { world.engine.SetCondition("Running", std::to_string(look)); });
  }
  world.engine.At(43, [&] { world.engine.SetCondition("Succeeded"); });
  CHECK(world.Run().end == EngineEnd::kSucceeded);
}

TEST_CASE("One that changes for ever and never ends is given up", "[migrate][engine]") {
  World world;
  world.options.patience = std::chrono::seconds(20);
  FakeFault fault;
  fault.target = "storageversionmigrations/widgets";
  fault.first = 3;
  fault.times = 0;
  int looks = 0;
  fault.before = [&] { world.engine.SetCondition("Running", std::to_string(++looks)); };
  world.cluster.server.AddFault(fault);
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kStuck);
  CHECK(facts.reason == "it has not come to its end for 400 s");
}

TEST_CASE("One that somebody deletes midway is not made again", "[migrate][engine]") {
  World world;
  std::string why = "somebody has deleted it";
  world.engine.At(3, [&] { world.engine.SetCondition("Running"); });
  SECTION("and it is gone") {
    world.engine.At(4, [&] { world.engine.Delete(); });
  }
  SECTION("and makes another of its name") {
    world.engine.At(4, [&] {
      world.engine.Delete();
      world.engine.Make(R"({"apiVersion":"storagemigration.k8s.io/v1beta1","kind":)"
                        R"("StorageVersionMigration","metadata":{"name":")" +
                        world.engine.name() + R"("}})");
    });
    why = "somebody has deleted it and made another of its name";
  }
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kDeleted);
  CHECK(facts.reason == why);
  CHECK(world.Count("POST") == 1);
  CHECK(world.Count("DELETE") == 0);
}

TEST_CASE("One that cannot be made is none", "[migrate][engine]") {
  World world;
  world.Answer("/storageversionmigrations", 2, FakeStatus(403, "Forbidden", "not today"));
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kRefused);
  CHECK(facts.reason == "it cannot be made: Error from server (Forbidden): not today");
  CHECK(facts.migration.empty());
  CHECK(world.Count("DELETE") == 0);
}

TEST_CASE("Whether it was made is looked up where the answer was lost", "[migrate][engine]") {
  World world;
  world.engine.At(2, [&] {
    world.Leave();
    world.engine.SetCondition("Succeeded");
  });
  test_support::FakeAnswer answer;
  SECTION("by a connection") { answer.lost = true; }
  SECTION("by a proxy") { answer = FakeStatus(504, "Timeout", "?"); }
  SECTION("as another run was quicker") { answer = FakeStatus(409, "AlreadyExists", "there"); }
  world.Answer("/storageversionmigrations", 2, answer);
  CHECK(world.Run().end == EngineEnd::kSucceeded);
}

TEST_CASE("One that can no longer be read is given up", "[migrate][engine]") {
  World world;
  world.Answer("/storageversionmigrations/widgets", 3, FakeStatus(403, "Forbidden", "no more"));
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kRefused);
  CHECK(facts.reason == "it cannot be read: Error from server (Forbidden): no more");
  CHECK_FALSE(world.engine.Exists());
}

TEST_CASE("That of an earlier run is gone on with", "[migrate][engine]") {
  World world;
  world.Leave();
  SECTION("while it runs") {
    world.engine.At(2, [&] { world.engine.SetCondition("Succeeded"); });
  }
  SECTION("after its end") { world.engine.SetCondition("Succeeded"); }
  CHECK(world.Run().end == EngineEnd::kSucceeded);
  CHECK(world.Count("POST") == 0);
  CHECK(world.listener.lines[0] ==
        kName + ": going on with storageversionmigrations.storagemigration.k8s.io/" +
            world.engine.name() + ", which an earlier run has made");
}

TEST_CASE("That of an earlier run is made anew where it says nothing of now", "[migrate][engine]") {
  World world;
  SECTION("it has failed") {
    world.Leave();
    world.engine.SetCondition("Failed", "then");
  }
  SECTION("it was for another generation of the CRD") {
    world.Leave(2);
    world.engine.SetCondition("Succeeded");
  }
  world.engine.At(5, [&] { world.engine.SetCondition("Succeeded"); });
  CHECK(world.Run().end == EngineEnd::kSucceeded);
  CHECK(world.Count("POST") == 1);
  CHECK(world.Count("DELETE") == 1);
}

TEST_CASE("Somebody else's of that name is left alone", "[migrate][engine]") {
  World world;
  world.engine.Make(R"({"apiVersion":"storagemigration.k8s.io/v1beta1","kind":)"
                    R"("StorageVersionMigration","metadata":{"name":")" +
                    world.engine.name() + R"("}})");
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kRefused);
  CHECK(facts.reason == "storageversionmigrations.storagemigration.k8s.io/" + world.engine.name() +
                            " is somebody else's");
  world.Make().RemoveLeft();
  CHECK(world.engine.Exists());
}

TEST_CASE("What an earlier run has left is deleted where it is of no use", "[migrate][engine]") {
  World world;
  world.Make().RemoveLeft();
  CHECK(world.Count("DELETE") == 0);
  world.Leave();
  world.Make().RemoveLeft();
  CHECK_FALSE(world.engine.Exists());
}

TEST_CASE("A signal leaves it to the cluster, which goes on", "[migrate][engine]") {
  World world;
  world.engine.At(4, [&] { world.stop = true; });
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kInterrupted);
  CHECK_FALSE(facts.migration.empty());
  CHECK(world.engine.Exists());
  world.stop = true;
  CHECK(world.Run().end == EngineEnd::kInterrupted);
}

TEST_CASE("A change of the CRD ends it, and deletes it", "[migrate][engine]") {
  World world;
  int asked = 0;
  world.options.find_change = [&asked]() -> std::optional<std::string> {
    return ++asked < 3 ? std::nullopt : std::optional<std::string>("it was deleted");
  };
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kCrdChanged);
  CHECK(facts.reason == "it was deleted");
  CHECK_FALSE(world.engine.Exists());
}

// migrationrunner.go of 1.36: cleanupAdmission is done for what the lister still has.
TEST_CASE("After its success the mark on the CRD is waited for, but not for ever",
          "[migrate][engine]") {
  World world;
  const auto mark = [&](const std::string& status) {
    world.cluster.server.PatchCrd(
        kName, R"({"status":{"conditions":[{"type":"Established","status":"True"},)"
               R"({"type":"StorageMigrating","status":")" +
                   status + R"("}]}})");
  };
  mark("True");
  world.engine.At(3, [&] { world.engine.SetCondition("Succeeded"); });
  bool is_released = false;
  SECTION("it is taken away") {
    is_released = true;
    world.cluster.server.AddFault(
        {.target = kTarget, .first = 4, .before = [&] { mark("False"); }});
  }
  SECTION("it stays") {}
  const report::EngineFacts facts = world.Run();
  CHECK(facts.end == EngineEnd::kSucceeded);
  CHECK((is_released ? facts.seconds < 5 : facts.seconds >= 30));
}

TEST_CASE("That it cannot be deleted is told, with what to do", "[migrate][engine]") {
  World world;
  world.cluster.server.Deny("delete", world.engine.resource);
  world.engine.At(3, [&] { world.engine.SetCondition("Failed", "x"); });
  CHECK(world.Run().end == EngineEnd::kFailed);
  CHECK_THAT(world.listener.lines.back(),
             Catch::Matchers::StartsWith("Warning: " + kName + ": ") &&
                 Catch::Matchers::EndsWith("kubectl delete storageversionmigrations."
                                           "storagemigration.k8s.io/" +
                                           world.engine.name()));
}

}  // namespace cluster_engine_test
}  // namespace migrate::migration
