#include "migrate/rewrite/sweep.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/migrate/sweep/sweep_world.h"

namespace migrate::rewrite {
namespace sweep_test {

TEST_CASE("Every object is written, and what needs it changes in etcd", "[migrate][sweep]") {
  World world;
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 5, unchanged 5");
  CHECK(result.failures.empty());
  CHECK_FALSE(result.stopped);
  CHECK_FALSE(result.list_error);
  CHECK_FALSE(result.is_interrupted);
  CHECK(result.generations_moved == 0);
  CHECK(world.Spec(1) == R"({"a":"x"})");
  CHECK(world.Requests("PATCH " + kInShop) == 10);
  CHECK(world.Requests("GET " + kWidgets + "?limit=4") == 3);
  CHECK(world.cluster.server.requests().size() == 13);
}

TEST_CASE("The rest of a short list comes in one piece, whatever becomes of the writes",
          "[migrate][sweep]") {
  World world(12);
  world.options.most_in_one_piece = 12;
  const std::string piece = "GET " + kWidgets + "?resourceVersion=";
  SECTION("that go on") {
    CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 6");
    CHECK(world.Requests(piece) == 1);
    CHECK(world.Requests("GET") == 3);
  }
  SECTION("of which some of the first chunk fail") {
    world.AnswerAlways(0, 422, "Invalid", "is invalid");
    CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 5, invalid 1");
    CHECK(world.Requests(piece) == 1);
  }
  SECTION("of which those of the first chunk are held") {
    world.options.is_held = [](const cluster::ListedObject& object) {
      return object.name < "w1004";
    };
    CHECK(Text(world.Run().counts) == "rewritten 4, unchanged 4, held 4");
    CHECK(world.Requests(piece) == 0);
  }
  SECTION("that are ended by a signal while it is read") {
    std::atomic<bool> stop = false;
    world.cluster.run_stop = &stop;
    world.Before("NotOlderThan", 1, [&] { stop = true; });
    CHECK(world.Run().is_interrupted);
    world.cluster.run_stop = nullptr;
    CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 6");
  }
}

TEST_CASE("Without chunks the list comes in one piece", "[migrate][sweep]") {
  World world;
  world.options.chunk_size = 0;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.Requests("GET") == 1);
}

TEST_CASE("A resource without objects is done at once", "[migrate][sweep]") {
  World world(0);
  CHECK(Text(world.Run().counts).empty());
  CHECK(world.Requests("PATCH") == 0);
}

TEST_CASE("Only what is selected is written", "[migrate][sweep]") {
  World world;
  world.target.namespace_ = "shop";
  world.target.field_selector = "metadata.name=w1003";
  CHECK(Text(world.Run().counts) == "rewritten 1");
  CHECK(world.Requests("GET /apis/demo.example.com/v1/namespaces/shop/widgets?fieldSelector=") ==
        1);
}

TEST_CASE("A dry run changes nothing", "[migrate][sweep]") {
  World world;
  world.target.dry_run = true;
  CHECK(Text(world.Run().counts) == "accepted 10");
  CHECK(world.Spec(1) == R"({"a":"x","old":1})");
  for (const std::string& line : world.cluster.server.RequestLines()) {
    CHECK((line.starts_with("GET ") || line.ends_with("?dryRun=All")));
  }
  // What it has left behind is not for the run that counts.
  world.target.dry_run = false;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
}

TEST_CASE("Where patch is forbidden an object is read and put back", "[migrate][sweep]") {
  World world;
  world.target.by_update = true;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.Requests("PUT " + kInShop) == 10);
  CHECK(world.Requests("GET " + kInShop) == 10);
  CHECK(world.Requests("PATCH") == 0);
  CHECK(world.Spec(1) == R"({"a":"x"})");
}

TEST_CASE("What another writer wrote between read and put is kept", "[migrate][sweep]") {
  World world;
  world.target.by_update = true;
  world.Before(kInShop + "w1001", 2, [&] {
    world.cluster.server.Add(
        test_support::FakeObjectText("widgets", "w1001", R"({"a":"theirs","old":2})"));
  });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 5, unchanged 5");
  CHECK(world.Spec(1) == R"({"a":"theirs"})");
}

TEST_CASE("Whatever another writer wrote since the list is rewritten", "[migrate][sweep]") {
  World world;
  world.Before(kInShop + "w1000", 1, [&] { world.Add(2, false); });
  CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 4");
}

TEST_CASE("An object that is gone is no failure", "[migrate][sweep]") {
  World world;
  world.Before(kInShop + "w1000", 1, [&] { world.Delete(0), world.Delete(9); });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 4, gone 2");
  CHECK(result.failures.empty());
}

TEST_CASE("What is held is not written, and named", "[migrate][sweep]") {
  World world;
  world.options.is_held = [](const cluster::ListedObject& object) {
    return object.name == "w1003";
  };
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 5, held 1");
  REQUIRE(result.failures.size() == 1);
  CHECK(result.failures[0].name == "w1003");
  CHECK(result.failures[0].object_class == report::ObjectClass::kHeld);
  CHECK(world.Spec(3) == R"({"a":"x","old":1})");
  CHECK(Text(world.Verify().counts) == "unchanged 9");
  // Another run may hold less.
  world.options.is_held = nullptr;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
}

TEST_CASE("A CRD that changes meanwhile ends it", "[migrate][sweep]") {
  World world(100);
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::seconds(3);
  world.cluster.server.AddFault(slow);
  int asked = 0;
  world.options.find_change = [&]() -> std::optional<std::string> {
    if (++asked < 3) return std::nullopt;
    return "the CustomResourceDefinition was deleted";
  };
  const SweepResult result = world.Run();
  CHECK(result.stopped == "the CustomResourceDefinition was deleted");
  CHECK(asked == 3);
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(2));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(7));
  CHECK(result.counts[report::ObjectClass::kNotTried] > 0);
  CHECK(result.counts.Total() == 100);
}

TEST_CASE("A CRD that was changed before is not written to", "[migrate][sweep]") {
  World world;
  world.options.find_change = [] { return "the schemas were changed meanwhile"; };
  const SweepResult result = world.Run();
  CHECK(result.stopped == "the schemas were changed meanwhile");
  for (const std::string& line : world.cluster.server.RequestLines()) {
    CHECK_THAT(line, Catch::StartsWith("GET "));
  }
}

TEST_CASE("The CRD is looked at every second", "[migrate][sweep]") {
  World world;
  world.options.pace.max_rate = 2;  // ten objects take about five seconds
  int asked = 0;
  world.options.find_change = [&asked] {
    ++asked;
    return std::nullopt;
  };
  world.Run();
  CHECK(asked >= 4);
}

TEST_CASE("The rate is kept", "[migrate][sweep]") {
  World world;
  world.options.pace.max_rate = 2;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(4));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(6));
}

TEST_CASE("As many are written at once as the server gains by", "[migrate][sweep]") {
  World world(600);
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::milliseconds(10);
  world.cluster.server.AddFault(slow);
  CHECK(Text(world.Run().counts) == "rewritten 300, unchanged 300");
  // One after the other takes six seconds, sixteen at once 0.4.
  CHECK(world.cluster.clock.passed() < std::chrono::milliseconds(2500));
  CHECK(world.cluster.clock.passed() > std::chrono::milliseconds(400));
}

TEST_CASE("Objects that the server asks to wait hold up no others", "[migrate][sweep]") {
  World world(600);
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::milliseconds(5);
  world.cluster.server.AddFault(slow);
  // About each seventh object is refused once.
  for (int i = 0; i < 600; i += 7) {
    world.cluster.server.AddFault({.target = kInShop + "w" + std::to_string(1000 + i),
                                   .times = 1,
                                   .answer = FakeStatus(429, "TooManyRequests", "please wait"),
                                   .headers = {{"Retry-After", "1"}}});
  }
  CHECK(Text(world.Run().counts) == "rewritten 300, unchanged 300");
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(10));
}

TEST_CASE("Objects that were put off and fail at last are no reason to give up",
          "[migrate][sweep]") {
  World world(600);
  const bool are_last = GENERATE(false, true);
  for (int i = 0; i < 60; ++i) {
    world.AnswerAlways(are_last ? 540 + i : 10 * i, 503, "ServiceUnavailable", "no");
  }
  const SweepResult result = world.Run();
  CHECK(result.counts[report::ObjectClass::kFailed] == 60);
  CHECK(result.counts[report::ObjectClass::kNotTried] == 0);
  CHECK_FALSE(result.is_given_up);
}

TEST_CASE("A webhook that changes objects is betrayed by the generation", "[migrate][sweep]") {
  World world;
  FakeFault fault;
  fault.target = kInShop + "w1001";
  const auto* stored = world.cluster.server.Stored(kResource, "shop/w1001");
  fault.answer = FakeText(200, "application/json",
                          R"({"metadata":{"name":"w1001","namespace":"shop","uid":")" +
                              std::string(stored->Find("metadata")->FindText("uid")) +
                              R"(","resourceVersion":"9","generation":2}})");
  world.cluster.server.AddFault(fault);
  CHECK(world.Run().generations_moved == 1);
  CHECK(world.Run().generations_moved == 1);
}

TEST_CASE("Objects of the cluster have no namespace", "[migrate][sweep]") {
  World world(0);
  const std::string crd =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)"
      R"("CustomResourceDefinition","metadata":{"name":"gadgets.g.io"},"spec":{)"
      R"("group":"g.io","scope":"Cluster","names":{"plural":"gadgets","kind":)"
      R"("Gadget"},"versions":[{"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  world.cluster.server.Add(crd);
  world.cluster.server.Add(
      R"({"apiVersion":"g.io/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{}})");
  world.target = {.group = "g.io", .version = "v1", .plural = "gadgets", .is_namespaced = false};
  CHECK(Text(world.Run().counts) == "rewritten 1");
  CHECK(world.Requests("PATCH /apis/g.io/v1/gadgets/a") == 1);
}

TEST_CASE("An object that is stored in another version is rewritten", "[migrate][sweep]") {
  World world(0);
  world.cluster.server.Add(R"({"apiVersion":"demo.example.com/v1beta1","kind":"Kindwidgets",)"
                           R"("metadata":{"namespace":"shop","name":"w1000"},"spec":{}})");
  CHECK(Text(world.Run().counts) == "rewritten 1");
  CHECK(world.cluster.server.Stored(kResource, "shop/w1000")->FindText("apiVersion") ==
        "demo.example.com/v1");
}

TEST_CASE("Progress is told as it goes, and at the end", "[migrate][sweep]") {
  World world(40);
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::milliseconds(200);
  world.cluster.server.AddFault(slow);
  std::vector<SweepProgress> told;
  world.options.on_progress = [&](const SweepProgress& progress) { told.push_back(progress); };
  world.Run();
  REQUIRE(told.size() > 5);
  for (std::size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].listed >= told[i - 1].listed);
    CHECK(told[i].counts.Total() == told[i].listed);
    CHECK((told[i].expected == 0 || told[i].expected >= told[i].listed));
  }
  CHECK(told.back().expected == 40);
  CHECK(Text(told.back().counts) == "rewritten 20, unchanged 20");
}

TEST_CASE("A folder that cannot be written is an error that names the file", "[migrate][sweep]") {
  World world;
  CHECK_THROWS_WITH(Sweep(world.target, world.options, world.folder.path() + "/none", "run",
                          world.cluster.session()),
                    Catch::Matchers::Contains("/none/run.listed"));
}

}  // namespace sweep_test
}  // namespace migrate::rewrite
