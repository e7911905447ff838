#include "migrate/sweep/write/pace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace migrate::sweep::write {
namespace pace_test {

using namespace std::chrono_literals;
using Clock = kube::system::Clock;
using Seconds = std::chrono::duration<double>;

constexpr auto kNever = Clock::TimePoint::max();

/// A server, and a client that sends as many writes as the pace allows, and the reads that it
/// wants.
struct World {
  /// A read takes `read`, and `cost` of that longer with each write beside it.
  double cost = 0;
  Seconds write{0.005};
  Seconds read{0.002};
  std::size_t most = 32;       // the client's own limit
  Clock::Duration interval{};  // between starts
  /// By which part reads are shorter or longer at random.
  double noise = 0;
  unsigned seed = 1;

  World& RunFor(Clock::Duration time) {
    const Clock::TimePoint end = now + time;
    done = most_seen = reads = 0;
    while (now < end) Step();
    return *this;
  }

  template <typename Condition>
  void RunUntil(Condition condition) {
    const Clock::TimePoint end = now + 1h;
    while (!condition()) {
      REQUIRE(now < end);
      Step();
    }
  }

  void Step() {
    pace.OnTime(now);
    if (pace.next_read() <= now) SendRead();
    while (HasRoom() && now >= NextStart()) SendWrite();
    if (pace.next_read() > now) Wait();
  }

  bool HasRoom() const { return in_flight < std::min(most, pace.most_in_flight()); }

  Clock::TimePoint NextStart() const { return std::max(pace.next_start(), next_by_rate); }

  void SendRead() {
    ++reads;
    const double random = static_cast<double>(generator()) / 4294967295.0 * 2 - 1;
    const Seconds taken = read * (1 + cost * static_cast<double>(in_flight)) * (1 + noise * random);
    read_beside = std::max(read_beside, in_flight);
    answers.push({now + std::chrono::duration_cast<Clock::Duration>(taken),
                  [this] { loses_reads ? pace.OnReadLost(now) : pace.OnRead(now); }});
    pace.OnReadSent(now);
  }

  void SendWrite() {
    const Clock::TimePoint sent = now;
    next_by_rate = now + interval;
    pace.OnStart(++in_flight);
    most_seen = std::max(most_seen, in_flight);
    answers.push({now + std::chrono::duration_cast<Clock::Duration>(write), [this, sent] {
                    ++done;
                    pace.OnDone(sent, now, --in_flight);
                  }});
  }

  void Wait() {
    Clock::TimePoint next = std::min(pace.next_read(), pace.look_end());
    if (HasRoom()) next = std::min(next, NextStart());
    if (answers.empty() || answers.top().at > next) {
      REQUIRE(next != kNever);  // or it would stop for ever
      now = std::max(now, next);
      return;
    }
    const auto answer = answers.top();
    answers.pop();
    now = answer.at;
    answer.take();
  }

  struct Answer {
    Clock::TimePoint at;
    std::function<void()> take;
    bool operator>(const Answer& other) const { return at > other.at; }
  };

  Clock::TimePoint now{std::chrono::hours(1)};
  std::size_t in_flight = 0;
  bool loses_reads = false;
  Clock::TimePoint next_by_rate{};
  // Since RunFor began:
  std::size_t done = 0, most_seen = 0, reads = 0;
  std::size_t read_beside = 0;  // the most, since it was set
  std::priority_queue<Answer, std::vector<Answer>, std::greater<>> answers{};
  std::mt19937 generator{seed};
  Pace pace{};
};

TEST_CASE("It begins with one write, and then sees what that costs", "[migrate][pace]") {
  World world;
  CHECK(world.pace.most_in_flight() == 1);
  CHECK(world.pace.next_start() <= world.now);
  CHECK(world.pace.next_read() == kNever);
  CHECK(world.pace.look_end() == kNever);
  world.RunUntil([&] { return world.done == 1; });
  CHECK(world.pace.most_in_flight() == 0);
  CHECK(world.pace.next_read() > world.now);
  CHECK(world.pace.next_read() < world.now + 1s);
}

TEST_CASE("A read is sent beside nothing, and one beside writes, by turns", "[migrate][pace]") {
  World world;
  std::vector<std::size_t> beside;
  while (beside.size() < 20) {
    const std::size_t before = world.reads;
    world.read_beside = 0;
    world.RunUntil([&] { return world.reads != before; });
    beside.push_back(world.read_beside);
  }
  for (std::size_t i = 0; i < beside.size(); ++i) CHECK(beside[i] == i % 2 * 2);
}

TEST_CASE("A server that does not notice more gets more with each look", "[migrate][pace]") {
  World world;
  CHECK(world.RunFor(60s).most_seen >= 16);
  CHECK(world.RunFor(10s).done > 20'000);  // one after the other: 2,000
}

TEST_CASE("As many are in flight as make a read take 5 % longer", "[migrate][pace]") {
  World world{.cost = 0.049 / 4};
  world.RunFor(60s);
  world.RunFor(60s);
  // Looks have more.
  CHECK(world.most_seen <= 7);
  CHECK(static_cast<double>(world.done) > 0.8 * 4 * 60 / 0.005);
  CHECK(static_cast<double>(world.done) < 1.1 * 4 * 60 / 0.005);
}

TEST_CASE("Where one is too much it pauses the longer the more one costs", "[migrate][pace]") {
  // Of the twelve thousand that there are without a pause: a quarter for what costs twice what
  // others bear, and never less than a twentieth.
  const auto [cost, least, most] = GENERATE(table<double, std::size_t, std::size_t>(
      {{0.06, 7'500, 9'000}, {0.1, 2'700, 3'300}, {0.23, 550, 630}, {1.5, 550, 630}}));
  World world{.cost = cost};
  world.RunFor(30s);
  world.RunFor(60s);
  INFO(cost << ": " << world.done);
  CHECK(world.done > least);
  CHECK(world.done < most);
  CHECK(world.most_seen == 1);
  CHECK(world.reads > 0);
}

TEST_CASE("That reads scatter does not look like a cost, nor hides one", "[migrate][pace]") {
  std::size_t free = 0, costly = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    World idle{.noise = 0.3, .seed = seed};
    idle.RunFor(30s);
    free += idle.RunFor(120s).done;
    World small{.cost = 0.4, .noise = 0.3, .seed = seed};
    small.RunFor(30s);
    costly += small.RunFor(120s).done;
  }
  CHECK(free > 6 * 24'000);         // as many as one after the other
  CHECK(costly < 6 * 24'000 / 15);  // about a twentieth
}

TEST_CASE("It goes down once a server has more to do, and up again", "[migrate][pace]") {
  World world{.cost = 0.01};
  world.RunFor(60s);
  const std::size_t quiet = world.RunFor(10s).done;
  world.cost = 0.5;
  world.RunFor(60s);
  CHECK(world.RunFor(10s).done * 5 < quiet);
  world.cost = 0.01;
  world.RunFor(90s);
  CHECK(world.RunFor(10s).done * 2 > quiet);
}

TEST_CASE("What a write waits for something else is no cost", "[migrate][pace]") {
  // An admission webhook, which takes no processor of the server.
  World world{.write = Seconds(0.5)};
  SECTION("for others on a large server") {
    world.RunFor(120s);
    CHECK(world.RunFor(10s).done > 200);
  }
  SECTION("however long that is") {
    world.write = Seconds(4);
    world.RunFor(300s);
    CHECK(world.RunFor(60s).done > 60);  // one after the other: 15
  }
  SECTION("nor on a small one, where it pauses beside others") {
    world.cost = 0.3;
    world.RunFor(120s);
    CHECK(world.RunFor(60s).done > 240);  // one after the other: 120
  }
}

TEST_CASE("A client's own limit of one is no reason to pause", "[migrate][pace]") {
  World world{.most = 1};
  world.RunFor(60s);
  CHECK(world.done > 9'000);
  CHECK(world.reads > 0);
}

TEST_CASE("A write that hangs holds others up for as long as a look may take", "[migrate][pace]") {
  World world;
  world.RunFor(60s);
  world.RunUntil([&] { return world.pace.look_end() == kNever; });
  world.write = 1h;
  world.SendWrite();
  world.write = 5ms;
  world.RunFor(60s);
  CHECK(world.done > 10'000);
}

TEST_CASE("A read that hangs holds writes up for as long as a look may take", "[migrate][pace]") {
  World world;
  world.RunFor(30s);
  world.read = 1h;
  world.RunFor(60s);
  CHECK(world.done > 10'000);
  world.read = 2ms;
  world.RunFor(30s);
  CHECK(world.most_seen >= 4);
}

TEST_CASE("Where reads are refused or get lost it pauses", "[migrate][pace]") {
  World world;
  const auto before = GENERATE(std::size_t{0}, std::size_t{60});  // at once, or in the middle of a look
  world.RunUntil([&] { return world.reads >= before; });
  world.loses_reads = true;
  world.RunFor(90s);
  world.RunFor(60s);
  CHECK(world.most_seen == 1);
  CHECK(world.reads < 30);
  CHECK(world.done > 500);
  CHECK(world.done < 700);
  world.loses_reads = false;
  world.RunFor(90s);
  CHECK(world.RunFor(10s).done > 2'000);
}

TEST_CASE("A read of a look that has ended says nothing of the next one", "[migrate][pace]") {
  World world;
  world.RunUntil([&] { return world.reads == 2 * 24; });
  world.RunUntil([&] { return world.pace.look_end() == kNever; });
  world.RunUntil([&] { return world.pace.look_end() != kNever; });
  world.pace.OnReadLost(world.now);
  world.pace.OnRead(world.now);
  CHECK(world.pace.look_end() != kNever);
  CHECK(world.pace.most_in_flight() == 0);
}

TEST_CASE("A rate that lets one begin at a time does not keep it from learning",
          "[migrate][pace]") {
  World world{.write = Seconds(0.2), .interval = 20ms};
  world.RunFor(240s);
  CHECK(world.RunFor(60s).done > 2'000);  // of 3,000; one after the other: 300
}

TEST_CASE("A stall in the middle of a look is forgotten soon", "[migrate][pace]") {
  World world;
  world.RunFor(30s);
  world.RunUntil([&] { return world.pace.look_end() != kNever; });
  world.write = world.read = 3s;
  world.RunFor(6s);
  world.write = 5ms;
  world.read = 2ms;
  world.RunFor(60s);
  CHECK(world.most_seen >= 4);
}

TEST_CASE("On a server that others fill some writes a second still get done", "[migrate][pace]") {
  World world{.cost = 0.9, .write = Seconds(0.1), .read = Seconds(0.05)};
  world.RunFor(30s);
  CHECK(world.RunFor(60s).done > 250);
}

TEST_CASE("One write that hangs is not followed by as long a pause", "[migrate][pace]") {
  World world{.cost = 0.9};
  world.RunFor(30s);
  world.RunUntil([&] { return world.in_flight == 0 && world.pace.look_end() == kNever; });
  world.write = 20s;
  const std::size_t before = world.done;
  world.RunUntil([&] { return world.done == before + 1; });
  CHECK(world.pace.next_start() == world.now + 120ms);
}

TEST_CASE("What is tried again is followed by a pause, too", "[migrate][pace]") {
  World world{.cost = 0.9};
  world.RunFor(30s);
  world.RunUntil([&] { return world.in_flight == 0 && world.pace.look_end() == kNever; });
  const auto begun = std::max(world.now, world.pace.next_start());
  world.pace.OnStart(1);
  world.pace.OnDone(begun, begun + 1ms, 0);
  CHECK(world.pace.next_start() > begun + 1ms + 19ms);
  CHECK(world.pace.next_start() < begun + 1ms + 20ms);
}

TEST_CASE("A look that is half done is not gone on with by another sweep", "[migrate][pace]") {
  World world;
  world.RunUntil([&] { return world.reads == 2 * 24 - 1; });  // the last one of it is missing
  world.answers = {};
  world.in_flight = world.reads = 0;
  world.pace.BeginSweep(world.now);
  CHECK(world.pace.look_end() == kNever);
  CHECK(world.pace.most_in_flight() == 1);
  world.RunUntil([&] { return world.pace.look_end() != kNever; });
  world.RunUntil([&] { return world.pace.look_end() == kNever; });
  CHECK(world.reads == 2 * 24);
}

TEST_CASE("Answers in no time tell nothing", "[migrate][pace]") {
  World world{.read = Seconds(0)};
  world.RunFor(60s);
  CHECK(world.most_seen == 2);  // to see what that costs
}

}  // namespace pace_test
}  // namespace migrate::sweep::write
