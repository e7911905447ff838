#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "migrate/restore/restore.h"
#include "tests/migrate/restore/restore_world.h"

namespace migrate::restore {
namespace restore_test {

using Catch::Matchers::Contains;

TEST_CASE("Trouble that passes costs a restore nothing but time", "[migrate][restore]") {
  World world;
  FakeFault fault;
  fault.times = 5;
  fault.target = kInShop;
  SECTION("a webhook that is down") {
    fault.answer = FakeStatus(500, "InternalError",
                              "Internal error occurred: failed calling webhook \"p\": EOF");
  }
  SECTION("conflicts") {
    fault.answer = FakeStatus(409, "Conflict", "the object has been modified");
  }
  SECTION("connections that are reset") { fault.lost = true; }
  SECTION("answers that break off") { fault.lost_after = 20; }
  SECTION("503 without a word") { fault.answer = test_support::FakeText(503, "text/plain", ""); }
  SECTION("answers that end early without a word") {
    fault.answer = test_support::FakeText(200, "application/json", R"({"kind":"Widget","api)");
  }
  world.cluster.server.AddFault(fault);
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "restored 6");
  CHECK(crd.verified);
  world.CheckAllAreBack();
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(1));
}

TEST_CASE("A write whose answer is lost is not done twice", "[migrate][restore]") {
  World world(1);
  // Of the object's requests the second one is the patch.
  world.cluster.server.AddFault({.target = kInShop + "w100", .first = 2, .lost_after = 0});
  const report::CrdRestore crd = world.Run();
  // It is found to be back, by whomever.
  CHECK(Text(crd.counts) == "unchanged 1");
  CHECK(world.Requests("PATCH") == 1);
  world.CheckAllAreBack(1);
}

TEST_CASE("After a conflict all is decided anew", "[migrate][restore]") {
  World world(1);
  world.Before(kInShop + "w100", 2, [&world] {
    world.Write(0, R"("spec":{"a":5,"old":9,"l":[{"n":"x"},{"n":"y"}]},"status":{"phase":"q"})");
  });
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "restored 1");
  CHECK(crd.kept.size() == 1);
  CHECK(world.Stored(0) == R"({"a":5,"l":[{"n":"x","o":1},{"n":"y"}],"old":9}{"phase":"q"})");
}

TEST_CASE("An object that is deleted between two requests is gone", "[migrate][restore]") {
  World world(2);
  world.Before(kInShop + "w100", 2, [&world] { world.Delete(0); });
  CHECK(Text(world.Run().counts) == "restored 1, gone 1");
}

TEST_CASE("A namespace that is not there is a failure, not a deleted object",
          "[migrate][restore]") {
  World world(1);
  world.Delete(0);
  world.options.settings.recreate = true;
  FakeFault fault = World::Always("/namespaces/shop/widgets");
  fault.first = 2;  // behind the read
  fault.answer = FakeStatus(404, "NotFound", "namespaces \"shop\" not found");
  world.cluster.server.AddFault(fault);
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "failed 1");
  CHECK(crd.failures.at(0).message == "namespaces \"shop\" not found");
}

TEST_CASE("One object's failure keeps no other from being restored", "[migrate][restore]") {
  World world;
  FakeFault fault = World::Always(kInShop + "w103");
  fault.first = 2;
  fault.answer = FakeStatus(422, "Invalid", "Widget \"w103\" is invalid: spec.old: no");
  world.cluster.server.AddFault(fault);
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "restored 5, invalid 1");
  REQUIRE(crd.failures.size() == 1);
  CHECK(crd.failures[0].code == 422);
  CHECK(crd.failures[0].message == "Widget \"w103\" is invalid: spec.old: no");
  CHECK(crd.verified);
  CHECK(crd.outcome == report::Outcome::kFailures);
}

TEST_CASE("A server that still prunes is written to again, for a while", "[migrate][restore]") {
  World world(1);
  // A webhook takes away what comes back, for three writes or for ever.
  int left = 3;
  FakeFault fault = World::Always(kInShop + "w100");
  fault.first = 2;
  fault.before = [&] {
    if (left-- > 0) world.Write(0, World::Pruned(0));
  };
  world.cluster.server.AddFault(fault);
  SECTION("for a while") { CHECK(Text(world.Run().counts) == "restored 1"); }
  SECTION("too long") {
    left = 1000;
    CHECK(Text(world.Run().counts) == "conflict 1");
  }
}

TEST_CASE("What is taken away again is not verified, what others change is theirs",
          "[migrate][restore]") {
  World world(3);
  const auto read_back = [&world](int number, std::function<void()> action) {
    // Read and patched before; those with a status once more.
    world.Before(kInShop + World::Name(number), number % 2 ? 4 : 3, std::move(action));
  };
  read_back(0, [&world] { world.Write(0, World::Pruned(0)); });
  read_back(2, [&world] { world.Delete(2); });
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "restored 3");
  CHECK(crd.verification.read == 3);
  CHECK(crd.verification.as_restored == 1);
  CHECK(crd.verification.changed == 2);
  CHECK(crd.verified);
}

TEST_CASE("Nothing is read back where that is not wanted", "[migrate][restore]") {
  World world;
  world.options.verify = false;
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_FALSE(crd.verified);
  CHECK(world.Requests("GET " + kInShop) == 6);
}

TEST_CASE("A run that is killed goes on where it was", "[migrate][restore]") {
  World probe(12);
  probe.Run();
  const int requests = static_cast<int>(probe.cluster.server.requests().size());
  for (int first = 1; first <= requests; first += 3) {
    CAPTURE(first);
    World world(12);
    world.Delete(11);
    world.options.settings.recreate = true;
    world.options.pace.concurrency = 3;
    world.Before("/apis/demo.example.com/", first, [] { throw Killed(); });
    bool was_killed = false;
    try {
      world.Run();
    } catch (const Killed&) {
      was_killed = true;
    }
    if (!was_killed) break;
    const report::CrdRestore crd = world.Run();
    CHECK(crd.outcome == report::Outcome::kDone);
    CHECK(crd.counts.Total() == 12);
    CHECK(crd.counts.Failures() == 0);
    world.CheckAllAreBack(12);
    CHECK(Text(world.Run().counts) == "unchanged 12");
  }
}

TEST_CASE("A signal ends it, and what was not tried is counted", "[migrate][restore]") {
  World world(30);
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  world.options.pace.concurrency = 2;
  world.Before(kInShop, 12, [&stop] { stop = true; });
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kInterrupted);
  CHECK(crd.counts.Total() == 30);
  CHECK(crd.counts[report::RestoreClass::kNotTried] > 20);
  stop = false;
  const report::CrdRestore again = world.Run();
  CHECK(again.outcome == report::Outcome::kDone);
  world.CheckAllAreBack(30);
}

TEST_CASE("A CRD that changes meanwhile ends a restore", "[migrate][restore]") {
  World world(30);
  world.options.pace.max_rate = 2;
  world.Before(kInShop, 12, [&world] {
    world.cluster.server.PatchCrd(kWidgets,
                                  R"({"spec":{"conversion":{"strategy":"None"}},"status":{}})");
    std::string crd = WidgetsCrd("");
    world.cluster.server.Add(crd);
  });
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK(crd.counts[report::RestoreClass::kNotTried] > 0);
  CHECK(crd.counts.Total() == 30);
}

TEST_CASE("Where nearly all fail in the same way it gives up", "[migrate][restore]") {
  World world(120);
  FakeFault fault = World::Always(kInShop);
  fault.answer = FakeStatus(403, "Forbidden", "admission webhook \"p\" denied the request: no");
  world.cluster.server.AddFault(fault);
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK(crd.counts[report::RestoreClass::kNotTried] > 0);
  CHECK(crd.counts.Total() == 120);
}

}  // namespace restore_test
}  // namespace migrate::restore
