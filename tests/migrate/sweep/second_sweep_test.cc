#include <catch2/catch.hpp>
#include <string>

#include "migrate/rewrite/sweep.h"
#include "tests/migrate/sweep/sweep_world.h"

namespace migrate::rewrite {
namespace sweep_test {

TEST_CASE("A second sweep rewrites nothing where all is as it should be", "[migrate][sweep]") {
  World world;
  world.Run();
  world.Delete(4);
  CHECK(Text(world.Verify().counts) == "unchanged 9, gone 1");
  CHECK(world.Requests("GET " + kWidgets + "?") == 3);
}

TEST_CASE("A second sweep finds what a stale server stored", "[migrate][sweep]") {
  World world;
  // One that does not know yet that it has to prune: it stores what it has.
  const auto* stored = world.cluster.server.Stored(kResource, "shop/w1003");
  world.cluster.server.AddFault(
      {.target = kInShop + "w1003",
       .answer = FakeText(
           200, "application/json",
           R"({"metadata":{"name":"w1003","namespace":"shop","uid":")" +
               std::string(stored->Find("metadata")->FindText("uid")) + R"(","resourceVersion":")" +
               std::string(stored->Find("metadata")->FindText("resourceVersion")) + R"("}})")});
  CHECK(Text(world.Run().counts) == "rewritten 4, unchanged 6");
  CHECK(Text(world.Verify().counts) == "rewritten 1, unchanged 9");
  CHECK(world.Spec(3) == R"({"a":"x"})");
}

TEST_CASE("A second sweep leaves out what did not end well", "[migrate][sweep]") {
  World world;
  world.AnswerAlways(3, 422, "Invalid", "is invalid");
  world.Run();
  CHECK(Text(world.Verify().counts) == "unchanged 9");
}

TEST_CASE("A second sweep knows an object that was created anew", "[migrate][sweep]") {
  World world;
  world.Before(kInShop + "w1000", 1, [&] {
    world.Delete(2);
    world.Add(2, false);
  });
  CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 4");
  CHECK(Text(world.Verify().counts) == "unchanged 10");
}

TEST_CASE("A second sweep does not count what another writer stored meanwhile",
          "[migrate][sweep]") {
  World world;
  world.target.by_update = GENERATE(false, true);
  world.Run();
  const auto write = [&world](int number) {
    test_support::WriteFakeObject(world.cluster.server, "widgets", World::Name(number),
                                  R"({"a":"theirs"})");
  };
  SECTION("before it") { write(2); }
  SECTION("in the middle of it") {
    world.Before(kInShop + "w1000", 1, [&write] { write(2); });
  }
  CHECK(Text(world.Verify().counts) == "unchanged 10");
  CHECK(world.Spec(2) == R"({"a":"theirs"})");
}

TEST_CASE("A second sweep begins anew where the first has got more objects", "[migrate][sweep]") {
  World world;
  world.options.is_held = [](const cluster::ListedObject& object) {
    return object.name == "w1003";
  };
  world.Run();
  CHECK(Text(world.Verify().counts) == "unchanged 9");
  world.options.is_held = nullptr;
  world.Run();
  world.AddDirt(3);
  CHECK(Text(world.Verify().counts) == "rewritten 1, unchanged 9");
}

TEST_CASE("A second sweep that was killed goes on", "[migrate][sweep]") {
  World world;
  world.Run();
  world.Before(kInShop, 4, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Verify(), Killed);
  CHECK(Text(world.Verify().counts) == "unchanged 10");
}

}  // namespace sweep_test
}  // namespace migrate::rewrite
