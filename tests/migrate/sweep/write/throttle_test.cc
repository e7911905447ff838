#include "migrate/sweep/write/throttle.h"

#include <catch2/catch.hpp>
#include <vector>

namespace migrate::sweep::write {
namespace throttle_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using TimePoint = kube::system::Clock::TimePoint;

/// Sends as much as may be sent, in round trips.
struct World {
  explicit World(std::size_t most, double max_rate = 0) : throttle(most, max_rate) {}

  std::size_t SendAll() {
    std::size_t in_flight = 0;
    while (throttle.MayStart(now, in_flight)) throttle.OnStart(now, ++in_flight);
    return in_flight;
  }
  /// One round trip; the last `slow` answers are slowdowns. Returns how many were in flight.
  std::size_t RoundTrip(milliseconds latency, std::size_t slow = 0) {
    const std::size_t in_flight = SendAll();
    const TimePoint sent = now;
    now += latency;
    for (std::size_t i = 0; i < in_flight; ++i) {
      throttle.OnAnswer(sent, now, i + slow >= in_flight);
    }
    return in_flight;
  }
  std::vector<std::size_t> RoundTrips(int count, milliseconds latency) {
    std::vector<std::size_t> sizes;
    for (int i = 0; i < count; ++i) sizes.push_back(RoundTrip(latency));
    return sizes;
  }

  TimePoint now{std::chrono::hours(1)};
  Throttle throttle;
};

TEST_CASE("It starts with four and doubles each round trip up to the most", "[migrate][throttle]") {
  World world(20);
  CHECK(world.RoundTrips(4, milliseconds(10)) == std::vector<std::size_t>{4, 8, 16, 20});
}

TEST_CASE("The most may be less than four, and never less than one", "[migrate][throttle]") {
  CHECK(World(2).RoundTrip(milliseconds(1)) == 2);
  CHECK(World(0).RoundTrip(milliseconds(1)) == 1);
}

TEST_CASE("After a slowdown it halves, then grows by one each round trip", "[migrate][throttle]") {
  World world(64);
  world.RoundTrips(2, milliseconds(10));
  CHECK(world.RoundTrip(milliseconds(10), 1) == 16);
  // 31 by then, as 15 answers were good.
  CHECK(world.throttle.limit() == 15);
  const auto sizes = world.RoundTrips(3, milliseconds(10));
  CHECK(sizes == std::vector<std::size_t>{15, 16, 17});
  CHECK(world.RoundTrips(20, milliseconds(10)).back() <= 36);
}

TEST_CASE("All that was in flight together halves once", "[migrate][throttle]") {
  World world(16);
  world.RoundTrips(2, milliseconds(10));
  CHECK(world.RoundTrip(milliseconds(10), 16) == 16);
  CHECK(world.throttle.limit() == 8);
  CHECK(world.RoundTrip(milliseconds(10), 8) == 8);
  CHECK(world.throttle.limit() == 4);
}

TEST_CASE("A server that refuses everything still gets one", "[migrate][throttle]") {
  World world(16);
  for (int i = 0; i < 20; ++i) world.RoundTrip(milliseconds(10), 16);
  CHECK(world.throttle.limit() == 1);
}

TEST_CASE("A latency far above the usual is a slowdown, a little more is not",
          "[migrate][throttle]") {
  World world(16);
  world.RoundTrips(20, milliseconds(10));
  world.RoundTrips(20, milliseconds(30));
  CHECK(world.throttle.limit() == 16);
  world.RoundTrip(milliseconds(500));
  CHECK(world.throttle.limit() == 8);
}

TEST_CASE("One slow answer among many is not a slowdown", "[migrate][throttle]") {
  World world(16);
  world.RoundTrips(20, milliseconds(10));
  world.throttle.OnAnswer(world.now - milliseconds(300), world.now, false);
  CHECK(world.throttle.limit() == 16);
}

TEST_CASE("A server that stays slow is the usual one after a while", "[migrate][throttle]") {
  World world(16);
  world.RoundTrips(20, milliseconds(10));
  world.RoundTrips(400, milliseconds(500));
  CHECK(world.throttle.limit() == 16);
}

TEST_CASE("It does not grow where less is asked than may be", "[migrate][throttle]") {
  World world(64);
  for (int i = 0; i < 100; ++i) {
    world.throttle.OnStart(world.now, 1);
    world.throttle.OnAnswer(world.now, world.now + milliseconds(1), false);
  }
  CHECK(world.throttle.limit() == 4);
}

TEST_CASE("The rate is kept on average", "[migrate][throttle]") {
  World world(1000, 50);
  const TimePoint start = world.now;
  int writes = 0;
  for (; world.now < start + seconds(10); world.now += milliseconds(7)) {
    while (world.throttle.MayStart(world.now, 0)) {
      world.throttle.OnStart(world.now, 1);
      ++writes;
    }
  }
  CHECK(writes >= 490);
  CHECK(writes <= 502);
}

TEST_CASE("A rate below one a second waits for its time", "[migrate][throttle]") {
  World world(16, 0.5);
  CHECK(world.SendAll() == 1);
  CHECK(world.throttle.next_start() > world.now + seconds(1));
  CHECK(world.throttle.next_start() <= world.now + seconds(2));
  world.now = world.throttle.next_start();
  CHECK(world.SendAll() == 1);
}

TEST_CASE("Nothing begins before the server wants it", "[migrate][throttle]") {
  World world(16);
  world.throttle.HoldUntil(world.now + seconds(3));
  world.throttle.HoldUntil(world.now + seconds(1));
  CHECK(world.SendAll() == 0);
  CHECK(world.throttle.next_start() == world.now + seconds(3));
  world.now += seconds(3);
  CHECK(world.SendAll() == 4);
}

/// Looks at a server that notices nothing, until a pace allows as many; returns when.
TimePoint LookAround(Pace& pace, std::size_t most, TimePoint now) {
  pace.BeginSweep(now);
  while (pace.most_at_work() < most) {
    const TimePoint begun = std::max(now, pace.next_start());
    std::size_t in_flight = 0;
    while (in_flight < pace.most_in_flight()) pace.OnStart(++in_flight);
    now = begun + milliseconds(5);
    if (pace.next_read() <= now) {
      pace.OnReadSent(now);
      now += milliseconds(2);
      pace.OnRead(now);
    }
    while (in_flight > 0) pace.OnDone(begun, now, --in_flight);
  }
  return now;
}

TEST_CASE("What a pace allows is a limit, too", "[migrate][throttle][pace]") {
  World world(16);
  world.RoundTrips(3, milliseconds(10));
  Pace pace;
  world.now = LookAround(pace, 8, world.now);
  const std::size_t most = pace.most_at_work();
  REQUIRE(most < 16);
  world.throttle.SetPace(pace);
  CHECK(world.RoundTrip(milliseconds(10)) == most);
  // A look, which is ended by the time.
  while (world.throttle.limit() != 0) {
    world.now += milliseconds(10);
    pace.OnDone(world.now - milliseconds(5), world.now, 0);
  }
  CHECK(world.SendAll() == 0);
  // A slowdown meanwhile halves what may be in flight else, not what might be without a pace.
  world.throttle.OnAnswer(world.now, world.now, true);
  world.now = pace.look_end();
  pace.OnTime(world.now);
  REQUIRE(pace.most_at_work() == most);
  CHECK(world.throttle.limit() == most / 2);
}

}  // namespace throttle_test
}  // namespace migrate::sweep::write
