#include "migrate/cluster/worker_pool.h"

#include <array>
#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <stdexcept>

namespace migrate::cluster {
namespace worker_pool_test {

TEST_CASE("Every worker runs once beside the producer", "[worker_pool]") {
  std::array<std::atomic<int>, 3> runs{};
  bool produced = false;
  RunWorkers(
      3, [&runs](std::size_t i) { ++runs[i]; }, [&produced] { produced = true; });
  CHECK(produced);
  for (const auto& run : runs) CHECK(run == 1);
}

TEST_CASE("What a worker or the producer throws comes out", "[worker_pool]") {
  const auto nothing = [](std::size_t) {};
  const auto throws = [](std::size_t i) {
    if (i == 1) throw std::runtime_error("worker");
  };
  CHECK_THROWS_WITH(RunWorkers(2, throws, [] {}), "worker");
  CHECK_THROWS_WITH(RunWorkers(2, nothing, [] { throw std::runtime_error("producer"); }),
                    "producer");
}

TEST_CASE("Workers that are there all together may wait for each other", "[worker_pool]") {
  constexpr std::size_t kWorkers = 5;
  std::barrier meeting(kWorkers);
  std::atomic<std::size_t> met = 0;
  RunAllWorkers(kWorkers, [&](std::size_t) {
    meeting.arrive_and_wait();
    ++met;
  });
  CHECK(met == kWorkers);
  CHECK_THROWS_WITH(RunAllWorkers(2, [](std::size_t) { throw std::runtime_error("worker"); }),
                    "worker");
}

}  // namespace worker_pool_test
}  // namespace migrate::cluster
