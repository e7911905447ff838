#include <catch2/catch.hpp>
#include <vector>

#include "migrate/rewrite/sweep.h"
#include "tests/migrate/sweep/sweep_world.h"

namespace migrate::rewrite {
namespace sweep_test {

TEST_CASE("Objects that are named are written alone, each once", "[migrate][sweep]") {
  World world;
  const SweepResult result =
      world.RunNamed({{"shop", "w1004"}, {"shop", "w1003"}, {"shop", "none"}, {"shop", "w1003"}});
  CHECK(Text(result.counts) == "rewritten 1, unchanged 1, gone 1");
  CHECK(world.Requests("PATCH") == 2);
  CHECK(world.Requests("GET " + kWidgets + "?") == 0);
  CHECK(world.Spec(3) == R"({"a":"x"})");
  CHECK(world.Spec(5) == R"({"a":"x","old":1})");
}

TEST_CASE("Many named objects are read some at a time, in bad weather too", "[migrate][sweep]") {
  World world(50);
  world.cluster.server.AddFault({.target = kInShop, .first = 5, .times = 7, .lost = true});
  std::vector<ObjectName> names;
  for (int i = 0; i < 50; ++i) names.push_back({"shop", World::Name(i)});
  CHECK(Text(world.RunNamed(names).counts) == "rewritten 25, unchanged 25");
  CHECK(world.cluster.server.requests().size() == 107);
}

TEST_CASE("Named objects go on after a kill, and other names begin anew", "[migrate][sweep]") {
  World world;
  const std::vector<ObjectName> names = {{"shop", "w1001"}, {"shop", "w1003"}};
  world.Before(kInShop, 4, [] { throw Killed(); });
  CHECK_THROWS_AS(world.RunNamed(names), Killed);
  CHECK(Text(world.RunNamed(names).counts) == "rewritten 2");
  CHECK(Text(world.RunNamed({{"shop", "w1001"}}).counts) == "unchanged 1");
}

}  // namespace sweep_test
}  // namespace migrate::rewrite
