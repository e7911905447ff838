#include "migrate/sweep/write/pace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <random>

namespace migrate::sweep::write {
namespace pace_test {

using namespace std::chrono_literals;
using Clock = kube::system::Clock;
using Seconds = std::chrono::duration<double>;

/// A server, and a client that sends as many writes as the pace allows, in round trips.
struct World {
  /// A write takes `alone`, and `cost` of that longer with each other one in flight.
  Seconds alone{0.01};
  double cost = 0;
  std::size_t most = 1000;  // the client's own limit

  /// Returns how many writes were done.
  std::size_t RunFor(Clock::Duration time) {
    const Clock::TimePoint end = now + time;
    std::size_t done = 0;
    while (now < end) done += RoundTrip();
    return done;
  }
  std::size_t RoundTrip() {
    now = std::max(now, pace.next_start());
    const std::size_t count = std::min(most, pace.most_in_flight());
    for (std::size_t i = 1; i <= count; ++i) pace.OnStart(i);
    const Clock::TimePoint sent = now;
    now += std::chrono::duration_cast<Clock::Duration>(alone *
                                                       (1 + cost * static_cast<double>(count - 1)));
    for (std::size_t i = 0; i < count; ++i) pace.OnDone(sent, now);
    most_seen = std::max(most_seen, count);
    return count;
  }

  Clock::TimePoint now{std::chrono::hours(1)};
  std::size_t most_seen = 0;
  Pace pace{};
};

TEST_CASE("It begins with one write after the other", "[migrate][pace]") {
  World world;
  CHECK(world.pace.most_in_flight() == 1);
  CHECK(world.pace.next_start() <= world.now);
}

TEST_CASE("A server that does not notice more gets more with each look", "[migrate][pace]") {
  World world;
  world.RunFor(30s);
  CHECK(world.most_seen >= 16);
  CHECK(world.RunFor(10s) > 10'000);  // one after the other: 1,000
}

TEST_CASE("One more may come beside others that makes each take 3 % longer", "[migrate][pace]") {
  World world{.cost = 0.029 / 4};
  world.RunFor(60s);
  world.most_seen = 0;
  const std::size_t done = world.RunFor(60s);
  // Four, which with the client's make five, and looks with more.
  CHECK(world.most_seen <= 7);
  CHECK(static_cast<double>(done) > 0.8 * 4 * 60 / 0.0102);
}

TEST_CASE("Where two slow each other down there is one", "[migrate][pace]") {
  World world{.cost = 0.025};
  world.RunFor(60s);
  const std::size_t done = world.RunFor(60s);
  CHECK(done > 5'500);
  CHECK(done < 7'000);
}

TEST_CASE("Where that is too much, too, it pauses the longer the more one costs",
          "[migrate][pace]") {
  // Of the twelve thousand that there are without a pause: a quarter for what costs twice what
  // others bear, and never less than a sixteenth. Now and then two are sent together to see what
  // they cost.
  const auto [cost, least, most] = GENERATE(table<double, std::size_t, std::size_t>(
      {{0.035, 7'800, 9'400}, {0.06, 2'900, 3'800}, {0.12, 750, 1'200}, {0.9, 750, 1'200}}));
  World world{.alone = 5ms, .cost = cost};
  world.RunFor(30s);
  const std::size_t done = world.RunFor(60s);
  INFO(cost << ": " << done);
  CHECK(done > least);
  CHECK(done < most);
  CHECK(world.most_seen == 2);
}

TEST_CASE("A look is no burst where it pauses", "[migrate][pace]") {
  World world{.alone = 3ms, .cost = 0.9};
  world.RunFor(30s);
  while (world.pace.most_in_flight() != 2) world.RoundTrip();
  const Clock::TimePoint before = std::max(world.now, world.pace.next_start());
  REQUIRE(world.RoundTrip() == 2);
  CHECK(world.pace.next_start() - world.now > 14 * (world.now - before));
}

TEST_CASE("That writes scatter does not look like a cost", "[migrate][pace]") {
  std::size_t done = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    World world;
    for (const Clock::TimePoint end = world.now + 120s; world.now < end;) {
      world.alone = 10ms * (0.7 + 0.6 * static_cast<double>(random()) / 4294967295.0);
      done += world.RoundTrip();
    }
  }
  // Where only looks that tell of a cost count it is 360,000, and 72,000 one after the other.
  CHECK(done > 500'000);
}

TEST_CASE("It goes down once a server has more to do, and up again", "[migrate][pace]") {
  World world{.cost = 0.01};
  world.RunFor(60s);
  const std::size_t quiet = world.RunFor(10s);
  world.cost = 0.5;
  world.RunFor(60s);
  const std::size_t busy = world.RunFor(10s);
  CHECK(busy * 5 < quiet);
  world.cost = 0.01;
  world.RunFor(90s);
  CHECK(world.RunFor(10s) * 2 > quiet);
}

TEST_CASE("That writes take long is no reason to write less", "[migrate][pace]") {
  World world{.alone = Seconds(0.5)};  // an admission webhook
  world.RunFor(120s);
  CHECK(world.RunFor(10s) > 200);
}

TEST_CASE("A client's own limit of one is no pause", "[migrate][pace]") {
  World world{.cost = 1, .most = 1};
  CHECK(world.RunFor(60s) == 6'000);
}

TEST_CASE("A stall in the middle of a look is forgotten soon", "[migrate][pace]") {
  const std::size_t looked_at = GENERATE(1, 2);  // alone, beside
  World world;
  while (world.pace.most_in_flight() != looked_at) world.RoundTrip();
  world.alone = 30s;
  for (int i = 0; i < 6; ++i) world.RoundTrip();
  world.alone = 10ms;
  world.RunFor(40s);
  CHECK(world.pace.most_in_flight() >= 2);
  CHECK(world.RunFor(10s) > 2'000);
}

TEST_CASE("On a server that others fill some writes a second still get done", "[migrate][pace]") {
  World world{.alone = 100ms, .cost = 0.9};
  world.RunFor(30s);
  CHECK(world.RunFor(60s) > 250);
}

TEST_CASE("One write that hangs is not followed by as long a pause", "[migrate][pace]") {
  World world{.alone = 5ms, .cost = 0.9};
  world.RunFor(30s);
  world.alone = 20s;
  world.RoundTrip();
  CHECK(world.pace.next_start() == world.now + 100ms);
}

TEST_CASE("A look that is half done is not gone on with by another sweep", "[migrate][pace]") {
  World world{.cost = 0.01};
  world.RunFor(60s);
  const std::size_t before = world.RunFor(10s);
  while (world.pace.most_in_flight() != 1) world.RoundTrip();
  world.alone *= 50;  // a webhook sees these objects
  world.pace.BeginLook(world.now);
  world.RunFor(60s);
  CHECK(world.RunFor(10s) * 60 > before);
}

TEST_CASE("Answers in no time tell nothing", "[migrate][pace]") {
  World world{.alone = Seconds(0)};
  for (int i = 0; i < 100; ++i) world.RoundTrip();
  CHECK(world.pace.most_in_flight() == 1);
}

}  // namespace pace_test
}  // namespace migrate::sweep::write
