#include "kube/client/scheduler.h"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/kube/client/client_world.h"

namespace kube::client {
namespace turns_test {

using client_test::CallSink;
using client_test::World;
using std::chrono::seconds;
using TimePoint = base::Clock::TimePoint;

bool Never() { return false; }

ApiRequest Version() {
  ApiRequest request;
  request.target = "/version";
  return request;
}

client_test::Scripted Answer(const std::string& body) {
  client_test::Scripted answer;
  answer.body = body;
  return answer;
}

/// A world whose client several threads share.
struct Shared {
  /// Runs each in a thread of its own, which takes part meanwhile.
  void Run(const std::vector<std::function<void()>>& parts) {
    std::size_t come = 0;
    std::vector<std::jthread> threads;
    for (const std::function<void()>& part : parts) {
      threads.emplace_back([this, &parts, &part, &come] {
        const Scheduler::Participant takes_part(scheduler);
        ++come;
        scheduler.Wait(TimePoint::max(), [&] { return come == parts.size(); });
        if (!begun) begun = world.clock.Now();
        part();
      });
    }
  }

  /// Since all parts had come.
  base::Clock::Duration Passed() const { return world.clock.Now() - *begun; }

  World world;
  std::optional<TimePoint> begun;
  Scheduler scheduler{world.client(), world.clock};
  std::vector<std::string> order;
};

TEST_CASE("Waits of several threads pass at the same time", "[kube][client][scheduler]") {
  Shared shared;
  std::size_t ended = 0;
  const auto wait = [&] {
    shared.scheduler.Wait(*shared.begun + seconds(5), Never);
    ++ended;
  };
  shared.Run(std::vector<std::function<void()>>(20, wait));
  CHECK(ended == 20);
  CHECK(shared.Passed() == seconds(5));
}

TEST_CASE("A wait ends once what it waits for was done by another thread",
          "[kube][client][scheduler]") {
  Shared shared;
  bool is_done = false;
  shared.Run({[&] {
                shared.scheduler.Wait(TimePoint::max(), [&] { return is_done; });
                CHECK(shared.Passed() == seconds(3));
              },
              [&] {
                shared.scheduler.Wait(shared.world.clock.Now() + seconds(3), Never);
                is_done = true;
              }});
  CHECK(is_done);
}

TEST_CASE("Answers come to those that wait, whoever polls", "[kube][client][scheduler]") {
  Shared shared;
  shared.world.transport.script = {Answer("{}"), Answer("{}")};
  const auto call = [&] {
    CallSink sink;
    shared.world.client().Start(Version(), sink);
    shared.scheduler.Wait(TimePoint::max(), [&] { return sink.ends > 0; });
    CHECK(sink.body == "{}");
    shared.order.emplace_back("answered");
  };
  const auto poll = [&] {
    while (shared.order.size() < 2) {
      shared.scheduler.Poll(shared.world.clock.Now() + std::chrono::milliseconds(1));
    }
  };
  shared.Run({call, call, poll});
  CHECK(shared.order.size() == 2);
}

TEST_CASE("One at a time is at work, those of the lowest number first",
          "[kube][client][scheduler]") {
  Shared shared;
  Scheduler& scheduler = shared.scheduler;
  const auto work = [&](std::size_t priority) {
    return [&, priority] {
      scheduler.BeginWork(priority);
      CHECK(scheduler.at_work() == priority);
      shared.order.push_back("begin " + std::to_string(priority));
      scheduler.EndWork(priority);
      scheduler.Wait(shared.world.clock.Now() + seconds(1), Never);
      scheduler.BeginWork(priority);
      shared.order.push_back("go on " + std::to_string(priority));
      scheduler.Wait(shared.world.clock.Now() + seconds(2), Never);  // at work
      scheduler.EndWork(priority);
    };
  };
  const auto begin_first = [&] {
    scheduler.BeginWork(0);
    scheduler.Wait(shared.world.clock.Now() + seconds(1), Never);
    scheduler.EndWork(0);
  };
  shared.Run({begin_first, work(3), work(1), work(2)});
  CHECK(shared.order ==
        std::vector<std::string>{"begin 1", "begin 2", "begin 3", "go on 1", "go on 2", "go on 3"});
  CHECK(shared.Passed() == seconds(1 + 1 + 3 * 2));
}

TEST_CASE("What a poll throws is thrown to all that wait then, and to nobody later",
          "[kube][client][scheduler]") {
  Shared shared;
  CallSink sink;
  std::size_t thrown = 0;
  const auto wait = [&] {
    try {
      shared.scheduler.Wait(TimePoint::max(), Never);
    } catch (const base::Error& error) {
      CHECK(std::string(error.what()) == "the plugin failed");
      ++thrown;
    }
    shared.scheduler.Wait(shared.world.clock.Now() + seconds(1), Never);
  };
  const auto call = [&] {
    shared.world.credentials.broken = true;
    const auto id = shared.world.client().Start(Version(), sink);
    CHECK_THROWS_AS(shared.scheduler.Wait(TimePoint::max(), Never), base::Error);
    shared.world.client().Cancel(id);
  };
  shared.Run({wait, wait, call});
  CHECK(thrown == 2);
}

}  // namespace turns_test
}  // namespace kube::client
