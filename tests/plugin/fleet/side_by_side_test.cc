#include "plugin/command/side_by_side.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace plugin::command {
namespace side_by_side_test {

TEST_CASE("Each number is worked on once", "[plugin][side_by_side]") {
  const std::size_t parallel = GENERATE(1, 3, 50);
  std::mutex mutex;
  std::map<std::size_t, int> calls;
  RunSideBySide(20, parallel, [&](std::size_t i) {
    const std::scoped_lock lock(mutex);
    ++calls[i];
  });
  CHECK(calls.size() == 20);
  CHECK(std::ranges::all_of(calls, [](const auto& call) { return call.second == 1; }));
}

TEST_CASE("As many work at once as may, and no more", "[plugin][side_by_side]") {
  std::atomic<int> at_work = 0, most = 0;
  std::atomic<int> arrived = 0;
  RunSideBySide(6, 3, [&](std::size_t) {
    const int now = ++at_work;
    int known = most;
    while (now > known && !most.compare_exchange_weak(known, now)) {
    }
    // The first three wait for each other: this would not end if they came one after the other.
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
    --at_work;
  });
  CHECK(most == 3);
}

TEST_CASE("One at a time they come in their order", "[plugin][side_by_side]") {
  std::vector<std::size_t> order;
  RunSideBySide(4, 1, [&](std::size_t i) { order.push_back(i); });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3});
  RunSideBySide(0, 1, [](std::size_t) { FAIL(); });
}

TEST_CASE("What is thrown is thrown again at the end", "[plugin][side_by_side]") {
  CHECK_THROWS_WITH(RunSideBySide(2, 2, [](std::size_t) { throw std::runtime_error("oops"); }),
                    "oops");
}

}  // namespace side_by_side_test
}  // namespace plugin::command
