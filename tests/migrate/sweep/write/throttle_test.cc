#include "migrate/rewrite/throttle.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace migrate::rewrite {
namespace throttle_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using TimePoint = kube::base::Clock::TimePoint;
using Duration = kube::base::Clock::Duration;

Duration FromSeconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

/// Sends as much as may be sent, in round trips.
struct World {
  explicit World(std::optional<std::size_t> wanted, double max_rate = 0)
      : throttle(wanted, max_rate) {}

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
      throttle.OnAnswer({.sent = sent, .now = now, .is_slowdown = i + slow >= in_flight});
    }
    return in_flight;
  }
  std::vector<std::size_t> RoundTrips(int count, milliseconds latency) {
    std::vector<std::size_t> sizes;
    for (int i = 0; i < count; ++i) sizes.push_back(RoundTrip(latency));
    return sizes;
  }
  /// An answer at once that asks to wait, with so many others in flight.
  std::optional<seconds> Refuse(int retry_after, std::size_t in_flight) {
    return throttle.OnAnswer({.sent = now,
                              .now = now,
                              .is_slowdown = true,
                              .retry_after = seconds(retry_after),
                              .in_flight = in_flight});
  }
  void Answer() { throttle.OnAnswer({.sent = now, .now = now}); }

  TimePoint now{std::chrono::hours(1)};
  Throttle throttle;
};

/// A server that does `rate(n)` requests a second while n are in flight, each after a time that
/// scatters, and a client that keeps as many in flight as the throttle allows.
struct Simulation {
  explicit Simulation(std::function<double(std::size_t)> rate_at, unsigned seed,
                      double scatter_by = 0.4)
      : rate(std::move(rate_at)), scatter(-scatter_by * scatter_by / 2, scatter_by), random(seed) {}

  void Run(std::size_t answers) {
    for (std::size_t i = 0; i < answers; ++i) {
      while (throttle.MayStart(now, in_flight.size())) {
        const std::size_t n = in_flight.size() + 1;
        throttle.OnStart(now, n);
        const double latency = static_cast<double>(throttle.limit()) / rate(throttle.limit());
        in_flight.emplace(now + FromSeconds(latency * scatter(random)), now);
      }
      const auto [at, sent] = *in_flight.begin();
      in_flight.erase(in_flight.begin());
      now = at;
      throttle.OnAnswer({.sent = sent, .now = now});
      limits.push_back(throttle.limit());
    }
  }
  double MeanLimit(std::size_t last) const {
    double sum = 0;
    for (std::size_t i = limits.size() - last; i < limits.size(); ++i) {
      sum += static_cast<double>(limits[i]);
    }
    return sum / static_cast<double>(last);
  }

  const std::function<double(std::size_t)> rate;
  std::lognormal_distribution<> scatter;
  std::mt19937 random;
  Throttle throttle{std::nullopt, 0};
  TimePoint now{std::chrono::hours(1)};
  std::multimap<TimePoint, TimePoint> in_flight;  // when each is answered, and was sent
  std::vector<std::size_t> limits;                // behind each answer
};

// What was measured on two cores.
double OnTwoCores(std::size_t in_flight) {
  const std::map<std::size_t, double> measured{{1, 192}, {2, 276}, {4, 336}, {16, 392}};
  const auto above = measured.lower_bound(in_flight);
  if (above->first == in_flight) return above->second;
  const auto below = std::prev(above);
  const double part =
      std::log(static_cast<double>(in_flight) / static_cast<double>(below->first)) /
      std::log(static_cast<double>(above->first) / static_cast<double>(below->first));
  return below->second + part * (above->second - below->second);
}

TEST_CASE("The search ends near the knee of a server that is full", "[migrate][throttle]") {
  const auto seed = GENERATE(range(0U, 20U));
  CAPTURE(seed);
  Simulation simulation(OnTwoCores, seed);
  simulation.Run(400);
  CHECK(simulation.MeanLimit(200) > 1.5);
  simulation.Run(3600);
  CHECK(simulation.MeanLimit(3000) > 2);
  CHECK(simulation.MeanLimit(3000) < 7);
  // That is at least 1.4 times what one in flight does.
  const double passed = std::chrono::duration<double>(simulation.now.time_since_epoch()).count();
  CHECK(4000 / (passed - 3600) > 1.4 * OnTwoCores(1));
}

TEST_CASE("A server that waits for a webhook gets as many as are allowed", "[migrate][throttle]") {
  const auto seed = GENERATE(range(0U, 10U));
  CAPTURE(seed);
  Simulation simulation([](std::size_t n) { return static_cast<double>(n) / 0.1; }, seed, 0.1);
  simulation.Run(1000);
  CHECK(simulation.MeanLimit(100) > 12);
  CHECK(simulation.throttle.limit() <= 16);
}

TEST_CASE("A server that does one after the other gets one, and a try now and then",
          "[migrate][throttle]") {
  const auto seed = GENERATE(range(0U, 10U));
  CAPTURE(seed);
  Simulation simulation([](std::size_t) { return 200.0; }, seed, 0.2);
  simulation.Run(4000);
  CHECK(simulation.MeanLimit(3000) < 1.5);
  CHECK(std::ranges::count(simulation.limits, std::size_t{2}) > 0);
}

TEST_CASE("A server that has time again gets more again", "[migrate][throttle]") {
  bool is_busy = true;
  Simulation simulation(
      [&](std::size_t n) { return is_busy ? 100.0 : 100.0 * static_cast<double>(n); }, 1, 0.2);
  simulation.Run(3000);
  CHECK(simulation.MeanLimit(1000) < 1.5);
  is_busy = false;
  simulation.Run(6000);
  CHECK(simulation.MeanLimit(1000) > 8);
}

TEST_CASE("The search begins with one, and grows within some hundred answers",
          "[migrate][throttle]") {
  World world(std::nullopt);
  CHECK(world.throttle.limit() == 1);
  std::size_t answers = 0;
  // No more waiting for each other: what is in flight together is answered together.
  while (answers < 500) answers += world.RoundTrip(milliseconds(10));
  CHECK(world.throttle.limit() == 16);
}

TEST_CASE("Answers in no time, and a rate that leaves places free, tell nothing",
          "[migrate][throttle]") {
  World no_time(std::nullopt);
  no_time.RoundTrips(1000, milliseconds(0));
  CHECK(no_time.throttle.limit() == 1);
  World world(std::nullopt);
  for (int i = 0; i < 1000; ++i) {
    world.throttle.OnStart(world.now, 1);
    world.now += milliseconds(5);
    world.throttle.OnAnswer({.sent = world.now - milliseconds(5), .now = world.now});
  }
  CHECK(world.throttle.limit() == 1);
}

TEST_CASE("The search halves after a slowdown, and comes back", "[migrate][throttle]") {
  World world(std::nullopt);
  world.RoundTrips(200, milliseconds(10));
  REQUIRE(world.throttle.limit() == 16);
  world.RoundTrip(milliseconds(10), 16);
  CHECK(world.throttle.limit() == 8);
  CHECK(world.RoundTrip(milliseconds(10), 1) == 8);
  CHECK(world.throttle.limit() == 4);
  world.RoundTrips(1000, milliseconds(10));
  CHECK(world.throttle.limit() >= 12);
}

TEST_CASE("To the search a latency far above the usual is a slowdown, a little more is not",
          "[migrate][throttle]") {
  World world(std::nullopt);
  world.RoundTrips(200, milliseconds(10));
  REQUIRE(world.throttle.limit() == 16);
  world.throttle.OnAnswer({.sent = world.now - milliseconds(300), .now = world.now});
  CHECK(world.throttle.limit() == 16);
  world.RoundTrip(milliseconds(500));
  CHECK(world.throttle.limit() == 8);
  // Once for all that was in flight together.
  CHECK(world.RoundTrip(milliseconds(10)) == 8);
  CHECK(world.throttle.limit() == 8);
}

TEST_CASE("A number that is wanted is in flight at once, whatever the latency",
          "[migrate][throttle]") {
  World world(32);
  CHECK(world.RoundTrips(2, milliseconds(10)) == std::vector<std::size_t>{32, 32});
  CHECK(world.RoundTrips(2, milliseconds(3000)) == std::vector<std::size_t>{32, 32});
  CHECK(World(0).RoundTrip(milliseconds(1)) == 1);
}

TEST_CASE("A wanted number halves after a slowdown, then grows back by one each round trip",
          "[migrate][throttle]") {
  World world(16);
  CHECK(world.RoundTrip(milliseconds(10), 1) == 16);
  CHECK(world.throttle.limit() == 8);
  const auto sizes = world.RoundTrips(4, milliseconds(10));
  CHECK(sizes == std::vector<std::size_t>{8, 8, 9, 10});
  CHECK(world.RoundTrips(20, milliseconds(10)).back() == 16);
}

TEST_CASE("All that was in flight together halves once", "[migrate][throttle]") {
  World world(16);
  CHECK(world.RoundTrip(milliseconds(10), 16) == 16);
  CHECK(world.throttle.limit() == 8);
  CHECK(world.RoundTrip(milliseconds(10), 8) == 8);
  CHECK(world.throttle.limit() == 4);
}

TEST_CASE("A server that refuses everything still gets one", "[migrate][throttle]") {
  World world(GENERATE(std::optional<std::size_t>(16), std::optional<std::size_t>()));
  for (int i = 0; i < 20; ++i) world.RoundTrip(milliseconds(10), 16);
  CHECK(world.throttle.limit() == 1);
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

TEST_CASE("One that the server asks to wait holds up no other", "[migrate][throttle]") {
  World world(8);
  for (int i = 0; i < 50; ++i) {
    CHECK_FALSE(world.Refuse(9, 7));
    CHECK_FALSE(world.Refuse(9, 7));
    world.Answer();
  }
  CHECK(world.throttle.next_start() <= world.now);
}

TEST_CASE("Where a whole round trip is asked to wait all do, for the longest",
          "[migrate][throttle]") {
  World world(5);
  CHECK_FALSE(world.Refuse(1, 4));
  CHECK_FALSE(world.Refuse(3, 3));
  CHECK_FALSE(world.Refuse(2, 2));
  CHECK_FALSE(world.Refuse(1, 1));
  CHECK(world.Refuse(1, 0) == seconds(3));
  CHECK(world.SendAll() == 0);
  CHECK(world.throttle.next_start() == world.now + seconds(3));
  world.now += seconds(3);
  CHECK(world.SendAll() > 0);
  // It says so again.
  CHECK(world.Refuse(2, 0) == seconds(2));
  world.Answer();
  CHECK_FALSE(world.Refuse(2, 0));
}

TEST_CASE("One or two in a row are no round trip", "[migrate][throttle]") {
  World world(std::nullopt);
  CHECK_FALSE(world.Refuse(4, 0));
  CHECK_FALSE(world.Refuse(4, 0));
  CHECK(world.Refuse(4, 0) == seconds(4));
}

TEST_CASE("All wait for a minute at most", "[migrate][throttle]") {
  World world(1);
  world.Refuse(86400, 0);
  world.Refuse(86400, 0);
  CHECK(world.Refuse(86400, 0) == seconds(60));
}

}  // namespace throttle_test
}  // namespace migrate::rewrite
