#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "migrate/rewrite/sweep.h"
#include "tests/migrate/sweep/sweep_world.h"

namespace migrate::rewrite {
namespace sweep_test {

TEST_CASE("A signal lets writes in flight end, and another run goes on", "[migrate][sweep]") {
  World world(40);
  world.options.chunk_size = 0;
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  world.Before(kInShop, 20, [&] { stop = true; });
  const SweepResult first = world.Run();
  CHECK(first.is_interrupted);
  CHECK(first.stopped == "interrupted");
  CHECK(first.counts[report::ObjectClass::kNotTried] > 0);
  const int sent = world.Requests("PATCH");
  CHECK(first.counts.Total() - first.counts[report::ObjectClass::kNotTried] ==
        static_cast<std::uint64_t>(sent));
  stop = false;
  const SweepResult second = world.Run();
  CHECK(Text(second.counts) == "rewritten 20, unchanged 20");
  CHECK(world.Requests("PATCH") == 40);
  CHECK_FALSE(second.is_interrupted);
}

TEST_CASE("After a signal nothing is tried again, nor put back", "[migrate][sweep]") {
  World world;
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  world.options.chunk_size = 0;
  world.options.pace.concurrency = 4;
  SECTION("what would be tried again") {
    FakeFault busy = World::Always(kInShop);
    busy.answer = FakeText(503, "text/plain", "");
    busy.before = [&] { stop = true; };
    world.cluster.server.AddFault(busy);
    CHECK(Text(world.Run().counts) == "not-tried 10");
    CHECK(world.Requests("PATCH") == 4);
  }
  SECTION("what was read to be put back") {
    world.target.by_update = true;
    world.Before(kInShop, 1, [&] { stop = true; });
    const SweepResult result = world.Run();
    CHECK(result.is_interrupted);
    CHECK(world.Requests("GET " + kInShop) == 4);
    CHECK(world.Requests("PUT") < 4);
    stop = false;
    CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  }
}

TEST_CASE("With everything answered another run tries only what failed", "[migrate][sweep]") {
  World world;
  world.AnswerAlways(3, 422, "Invalid", "is invalid");
  world.Run();
  const std::size_t requests = world.cluster.server.requests().size();
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 5, invalid 1");
  CHECK(result.failures.at(0).name == "w1003");
  CHECK(world.cluster.server.requests().size() == requests + 1);
}

TEST_CASE("Killed at any request, it goes on and counts every object once", "[migrate][sweep]") {
  const int last = GENERATE(range(1, 14));
  CAPTURE(last);
  World world;
  world.Before(kWidgets.substr(0, 12), last, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Run(), Killed);
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(Text(world.Verify().counts) == "unchanged 10");
}

TEST_CASE("What was answered before a kill is not written again", "[migrate][sweep]") {
  World world;
  world.options.pace.concurrency = 1;
  world.Before(kInShop, 8, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Run(), Killed);
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.Requests("PATCH") == 11);  // the eighth twice
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_CASE("Whatever is left of its files, it goes on and counts every object once",
          "[migrate][sweep]") {
  World world(6);
  world.AnswerAlways(2, 422, "Invalid", "is invalid");
  const std::string expected = "rewritten 3, unchanged 2, invalid 1";
  REQUIRE(Text(world.Run().counts) == expected);
  const std::string path = world.folder.path() + "/run";
  const std::string listed = ReadFile(path + ".listed"), answered = ReadFile(path + ".answered");
  // Without an answer the object is written again, and answers the same.
  for (std::size_t size = 0; size < answered.size(); ++size) {
    CAPTURE(size);
    world.folder.Write("run.listed", listed);
    world.folder.Write("run.answered", answered.substr(0, size));
    REQUIRE(Text(world.Run().counts) == expected);
  }
  // Without its page the object is listed again, with the resource version that it has now.
  for (std::size_t size = 0; size < listed.size(); size += 3) {
    CAPTURE(size);
    world.folder.Write("run.listed", listed.substr(0, size));
    world.folder.Write("run.answered", answered.substr(0, (size * 31) % answered.size()));
    const SweepResult result = world.Run();
    REQUIRE(result.counts.Total() == 6);
    REQUIRE(result.counts[report::ObjectClass::kInvalid] == 1);
    REQUIRE(result.counts[report::ObjectClass::kRewritten] +
                result.counts[report::ObjectClass::kUnchanged] ==
            5);
  }
}

}  // namespace sweep_test
}  // namespace migrate::rewrite
