#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "migrate/rewrite/object_write.h"
#include "tests/support/fake_cluster.h"

namespace migrate::rewrite {
namespace write_pool_test {

const std::string kWidgets = "/apis/demo.example.com/v1/namespaces/shop/widgets/";

struct World {
  World() {
    cluster.server.Add(test_support::FakeCrdText("widgets"));
    cluster.server.Add(test_support::FakeObjectText("widgets", "a", "{}"));
  }
  void BeginAll() {
    while (writer.HasRoom()) writer.Begin({begun++, {"shop", "a", "u", "1", 1}});
  }
  void Take() {
    writer.HandleAnswers(
        [this](const ObjectWrite& write) { done.push_back(write.object().number); });
  }
  void AddBusy(int times) {
    cluster.server.AddFault({.target = kWidgets,
                             .times = times,
                             .answer = test_support::FakeText(503, "text/plain", "")});
  }

  test_support::FakeCluster cluster;
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  std::vector<std::string> lines;
  WritePool writer{target, Throttle(8, 0),
                   [this](const std::string& line) { lines.push_back(line); }, cluster.session()};
  std::uint64_t begun = 0;
  std::vector<std::uint64_t> done;
};

TEST_CASE("As many are in flight as the throttle allows", "[migrate][write_pool]") {
  World world;
  CHECK(world.writer.is_idle());
  world.BeginAll();
  CHECK(world.begun == 8);
  CHECK(world.writer.size() == 8);
  CHECK(world.writer.next_event() == kube::base::Clock::TimePoint::max());
  while (world.done.empty()) {
    world.cluster.client.Poll(world.writer.next_event());
    world.Take();
  }
  world.BeginAll();
  CHECK(world.begun == 8 + world.done.size());
}

TEST_CASE("What waits to be tried again holds no place, up to a number", "[migrate][write_pool]") {
  World world;
  world.AddBusy(0);
  for (int i = 0; i < 2000 && world.begun < 64; ++i) {
    world.BeginAll();
    world.cluster.client.Poll(world.cluster.clock.Now());
    world.Take();
  }
  CHECK(world.begun == 64);
  for (int i = 0; i < 20; ++i) {
    world.cluster.client.Poll(world.cluster.clock.Now());
    world.Take();
  }
  CHECK_FALSE(world.writer.HasRoom());
  CHECK_FALSE(world.writer.is_idle());
  CHECK(world.writer.next_event() == world.cluster.clock.Now() + std::chrono::milliseconds(500));
}

TEST_CASE("What is due is sent again", "[migrate][write_pool]") {
  World world;
  world.AddBusy(1);
  world.writer.Begin({7, {"shop", "a", "u", "1", 1}});
  while (world.done.empty()) {
    world.writer.SendDue();
    world.cluster.client.Poll(world.writer.next_event());
    world.Take();
  }
  CHECK(world.done == std::vector<std::uint64_t>{7});
  CHECK(world.cluster.server.requests().size() == 2);
  CHECK(world.cluster.clock.passed() == std::chrono::milliseconds(500));
}

TEST_CASE("Once stopped it only ends what is in flight", "[migrate][write_pool]") {
  World world;
  world.AddBusy(1);
  world.writer.Begin({0, {"shop", "a", "u", "1", 1}});
  world.writer.Begin({1, {"shop", "a", "u", "1", 1}});
  world.writer.Stop();
  while (!world.writer.is_idle()) {
    world.cluster.client.Poll(kube::base::Clock::TimePoint::max());
    world.Take();
  }
  CHECK(world.done == std::vector<std::uint64_t>{1});
}

TEST_CASE("Once stopped it does not wait for ever for what is in flight", "[migrate][write_pool]") {
  World world;
  world.cluster.server.AddFault({.target = kWidgets, .latency = std::chrono::hours(1)});
  world.writer.Begin({0, {"shop", "a", "u", "1", 1}});
  std::string message;
  const auto poll = [&] {
    world.cluster.client.Poll(world.cluster.clock.Now() + std::chrono::seconds(1));
    world.writer.HandleAnswers([&](const ObjectWrite& write) { message = write.answer().message; });
  };
  for (int i = 0; i < 100; ++i) poll();
  CHECK_FALSE(world.writer.is_idle());
  const auto stopped = world.cluster.clock.Now();
  while (!world.writer.is_idle()) {
    world.writer.Stop();  // again and again
    poll();
  }
  CHECK(world.cluster.clock.Now() == stopped + std::chrono::seconds(30));
  CHECK(message == "no answer within 130 s");
}

TEST_CASE("A writer that goes leaves nothing under way", "[migrate][write_pool]") {
  World world;
  {
    WritePool writer(world.target, Throttle(8, 0), nullptr, world.cluster.session());
    writer.Begin({0, {"shop", "a", "u", "1", 1}});
  }
  world.cluster.client.Poll(world.cluster.clock.Now() + std::chrono::seconds(1));
  CHECK(world.cluster.server.requests().empty());
}

TEST_CASE("What is put off is told once", "[migrate][write_pool]") {
  World world;
  world.AddBusy(2);
  world.writer.Begin({7, {"shop", "a", "u", "1", 1}});
  int put_off = 0;
  while (!world.writer.is_idle()) {
    world.writer.SendDue();
    world.cluster.client.Poll(world.writer.next_event());
    world.writer.HandleAnswers([](const ObjectWrite& write) { CHECK(write.first_failure()); },
                               [&put_off](const Exchange& write) {
                                 ++put_off;
                                 CHECK(write.first_failure()->code == 503);
                               });
  }
  CHECK(put_off == 1);
}

TEST_CASE("One that is asked to wait holds up no other", "[migrate][write_pool]") {
  World world;
  world.cluster.server.AddFault({.target = kWidgets,
                                 .times = 1,
                                 .answer = test_support::FakeText(429, "text/plain", ""),
                                 .headers = {{"Retry-After", "30"}}});
  while (world.done.size() < 20) {
    world.writer.SendDue();
    world.BeginAll();
    world.cluster.client.Poll(world.writer.next_event());
    world.Take();
  }
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(1));
  CHECK(world.lines.empty());
}

/// Waits for the first line that is told.
std::string FirstLine(World& world) {
  world.BeginAll();
  while (world.lines.empty()) {
    world.writer.SendDue();
    world.cluster.client.Poll(
        std::min(world.writer.next_event(), world.cluster.clock.Now() + std::chrono::seconds(1)));
    world.Take();
  }
  return world.lines[0];
}

TEST_CASE("Where nothing gets anywhere it is told why", "[migrate][write_pool]") {
  World world;
  SECTION("as the server refuses all") {
    world.AddBusy(1000);
    CHECK_THAT(FirstLine(world),
               Catch::StartsWith("nothing was written for 1") && Catch::EndsWith("; trying again"));
  }
  SECTION("as it does not answer") {
    world.cluster.server.AddFault(
        {.target = kWidgets, .times = 0, .latency = std::chrono::hours(1)});
    CHECK(FirstLine(world) == "nothing was written for 10 s: the server does not answer");
  }
}

TEST_CASE("It is told that all wait", "[migrate][write_pool]") {
  World world;
  const auto [asked_for, held, line] = GENERATE(table<std::string, int, std::string>({
      {"1", 1, ""},
      {"7", 7, "waiting 7 s, as the server asks for it"},
      {"86400", 60, "waiting 60 s, as the server asks for it"},
  }));
  CAPTURE(asked_for);
  world.cluster.server.AddFault({.target = kWidgets,
                                 .times = 8,
                                 .answer = test_support::FakeText(429, "text/plain", ""),
                                 .headers = {{"Retry-After", asked_for}}});
  world.BeginAll();
  while (world.cluster.server.requests().size() < 9) {
    world.writer.SendDue();
    world.BeginAll();
    world.cluster.client.Poll(world.writer.next_event());
    world.Take();
  }
  CHECK(world.cluster.clock.passed() == std::chrono::seconds(held));
  CHECK(world.lines ==
        (line.empty() ? std::vector<std::string>() : std::vector<std::string>{line}));
}

}  // namespace write_pool_test
}  // namespace migrate::rewrite
