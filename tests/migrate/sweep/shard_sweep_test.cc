#include <catch2/catch.hpp>
#include <string>

#include "migrate/sweep/sweep.h"
#include "tests/migrate/sweep/sweep_world.h"

namespace migrate::sweep {
namespace sweep_test {

TEST_CASE("Sweeps of all shards write each object once", "[migrate][sweep][shards]") {
  World world(40);
  const int shards = GENERATE(2, 3, 16);
  world.options.most_in_one_piece = GENERATE(0u, 100u);
  report::ClassCounts total;
  for (int number = 0; number < shards; ++number) {
    world.target.shard = {number, shards};
    const test_support::TempFolder folder;
    const SweepResult result =
        Sweep(world.target, world.options, folder.path(), "run", world.cluster.session());
    CHECK_FALSE(result.stopped);
    CHECK_FALSE(result.list_error);
    total += result.counts;
  }
  CHECK(Text(total) == "rewritten 20, unchanged 20");
  CHECK(world.Requests("PATCH " + kInShop) == 40);
  const int in_one_piece = world.Requests("GET " + kWidgets + "?resourceVersion=");
  // What so many may ask for at once has to be smaller.
  if (shards == 16 || world.options.most_in_one_piece == 0) CHECK(in_one_piece == 0);
  if (shards == 2 && world.options.most_in_one_piece > 0) CHECK(in_one_piece == 2);
}

TEST_CASE("A shard goes on where it was, and another one does not take that up",
          "[migrate][sweep][shards]") {
  World world(40);
  world.target.shard = {0, 2};
  world.Before(kInShop, 9, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Run(), Killed);
  const report::ClassCounts first = world.Run().counts;
  CHECK(first.Failures() == 0);
  world.target.shard = {1, 2};
  report::ClassCounts total = world.Run().counts;
  total += first;
  CHECK(Text(total) == "rewritten 20, unchanged 20");
}

}  // namespace sweep_test
}  // namespace migrate::sweep
